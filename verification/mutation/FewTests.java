import java.util.List;
import java.util.Properties;

import org.pitest.classpath.CodeSource;
import org.pitest.coverage.CoverageDatabase;
import org.pitest.coverage.TestInfo;
import org.pitest.mutationtest.build.DefaultTestPrioritiser;
import org.pitest.mutationtest.build.TestPrioritiser;
import org.pitest.mutationtest.build.TestPrioritiserFactory;

/**
 * Lets PIT run only the first tests that cover a mistake, in its own order: as many as
 * take ten seconds in sum, and at least one. Otherwise, a mistake that no test finds
 * would cost minutes.
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
		return (mistake) -> first(all.assignTests(mistake));
	}

	private static List<TestInfo> first(List<TestInfo> tests) {
		int number = 0;
		for (int sum = 0; number < tests.size() && sum < LIMIT_MILLIS; number++) {
			sum += tests.get(number).getTime();
		}
		return tests.subList(0, number);
	}

}
