import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;

import org.pitest.classpath.CodeSource;
import org.pitest.coverage.CoverageDatabase;
import org.pitest.coverage.TestInfo;
import org.pitest.mutationtest.build.DefaultTestPrioritiser;
import org.pitest.mutationtest.build.TestPrioritiser;
import org.pitest.mutationtest.build.TestPrioritiserFactory;

/**
 * Lets PIT run only the first tests that cover a mistake: as many as take ten seconds in
 * sum, and at least one. Otherwise, a mistake that no test finds would cost minutes. The
 * tests that are named after the class come first, then all others in PIT's own order.
 */
public final class FewTests implements TestPrioritiserFactory {

	private static final int LIMIT_MILLIS = 10_000;

	@Override
	public String description() {
		return "At most ten seconds of tests for each mistake";
	}

	@Override
	public TestPrioritiser makeTestPrioritiser(Properties properties, CodeSource code, CoverageDatabase coverage) {
		TestPrioritiser all = new DefaultTestPrioritiser(coverage);
		return (mistake) -> {
			String name = mistake.getClassName().getNameWithoutPackage().asJavaName().replaceAll("\\$.*", "");
			Pattern own = Pattern.compile("\\." + name + "\\w*Tests\\.");
			return first(all.assignTests(mistake)
				.stream()
				.sorted(Comparator.comparing((test) -> !own.matcher(test.getName()).find()))
				.toList());
		};
	}

	private static List<TestInfo> first(List<TestInfo> tests) {
		int number = 0;
		for (int sum = 0; number < tests.size() && sum < LIMIT_MILLIS; number++) {
			sum += tests.get(number).getTime();
		}
		return tests.subList(0, number);
	}

}
