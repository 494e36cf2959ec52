package io.github.redislock.simulation;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.redislock.redis.ScriptBranches;
import io.github.redislock.simulation.redis.LuaScripts;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Plants small mistakes in the scripts, one at a time. Each has to break a promise in one
 * of the first schedules of the simulation, or to fail a test of the scripts on a real
 * Redis. See verification/mutation/README.md.
 */
final class LuaMutants {

	/** Schedules of each scenario. */
	private static final int SEEDS = 30;

	private static final String TESTS = "tests";

	/** The mistakes that need not be found. */
	private final Set<String> accepted = new HashSet<>();

	private final Path folder;

	private LuaMutants(Path accepted, Path folder) throws IOException {
		this.folder = folder;
		for (String line : Files.readAllLines(accepted)) {
			int reason = line.indexOf(" -- ");
			if (reason > 0) {
				this.accepted.add(line.substring(0, reason));
			}
		}
	}

	/**
	 * Plant all mistakes, or only those of the given file.
	 * @param arguments the file of accepted mistakes, a folder for changed scripts, and
	 * optionally a script or shared part
	 */
	public static void main(String... arguments) throws Exception {
		if (arguments[0].equals(TESTS)) {
			System.exit(areTestsRed() ? 0 : 1);
		}
		LuaMutants mutants = new LuaMutants(Path.of(arguments[0]), Path.of(arguments[1]));
		System.exit(mutants.areAllFound((arguments.length > 2) ? arguments[2] : "") ? 0 : 1);
	}

	private boolean areAllFound(String only) throws IOException, InterruptedException {
		int[] sum = new int[4];
		Set<String> needless = new HashSet<>(this.accepted);
		Map<String, String> files = ScriptBranches.files();
		String take = files.get("take");
		if (isFoundByTests(new LuaMutant("take", "unchanged", take, take, take))) {
			throw new IllegalStateException("The tests fail without a mistake");
		}
		for (Map.Entry<String, String> file : files.entrySet()) {
			if (!file.getKey().startsWith(only)) {
				continue;
			}
			int[] row = new int[4];
			for (LuaMutant mutant : LuaMutant.of(file.getKey(), file.getValue())) {
				if (!compiles(mutant)) {
					continue;
				}
				needless.remove(mutant.id());
				int column = this.accepted.contains(mutant.id()) ? 2
						: isFoundBySchedules(mutant) ? 0 : isFoundByTests(mutant) ? 1 : 3;
				row[column]++;
				sum[column]++;
				if (column == 3) {
					System.out.println("SURVIVED " + mutant.id());
				}
			}
			System.out.printf("%-20s %4d by schedules %4d by tests %4d accepted %4d survived%n", file.getKey(), row[0],
					row[1], row[2], row[3]);
		}
		System.out.printf("%d mistakes: %d found by schedules, %d by tests; %d accepted, %d survived%n",
				sum[0] + sum[1] + sum[2] + sum[3], sum[0], sum[1], sum[2], sum[3]);
		if (!only.isEmpty()) {
			return sum[3] == 0;
		}
		needless.forEach((id) -> System.out.println("NO SUCH MISTAKE " + id));
		return sum[3] == 0 && needless.isEmpty();
	}

	private static boolean compiles(LuaMutant mutant) {
		try (LuaScripts lua = new LuaScripts()) {
			return lua.compiles(mutant.text());
		}
	}

	private static boolean isFoundBySchedules(LuaMutant mutant) {
		try (LuaScripts lua = new LuaScripts()) {
			for (int seed = 1; seed <= SEEDS; seed++) {
				for (Scenario scenario : Scenario.values()) {
					if (scenario != Scenario.LARGE
							&& new Run(seed, scenario, mutant, Set.of()).go(lua, false).violation() != null) {
						return true;
					}
				}
			}
			return false;
		}
		catch (RuntimeException ex) {
			// For example, a reply that the library cannot read.
			return true;
		}
	}

	/**
	 * Run the tests in a process whose class path begins with the changed file.
	 */
	private boolean isFoundByTests(LuaMutant mutant) throws IOException, InterruptedException {
		String in = mutant.file().equals("raise") ? "quorum/" : "";
		Path changed = this.folder.resolve("io/github/redislock/redis/" + in + mutant.file() + ".lua");
		Files.createDirectories(changed.getParent());
		Files.writeString(changed, mutant.text());
		try {
			return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-cp",
					this.folder + File.pathSeparator + System.getProperty("java.class.path"),
					LuaMutants.class.getName(), TESTS)
				.redirectErrorStream(true)
				.redirectOutput(this.folder.resolve("tests.log").toFile())
				.start()
				.waitFor() == 0;
		}
		finally {
			Files.delete(changed);
		}
	}

	private static boolean areTestsRed() {
		LauncherDiscoveryRequest tests = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectPackage("io.github.redislock.redis"))
			.filters(ClassNameFilter.includeClassNamePatterns(".*[.]Lua\\w*Tests"))
			.configurationParameter("junit.jupiter.execution.timeout.default", "20 s")
			.build();
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create().execute(tests, summary);
		if (summary.getSummary().getTestsFoundCount() == 0) {
			throw new IllegalStateException("No test ran");
		}
		summary.getSummary().printFailuresTo(new PrintWriter(System.out, true));
		return summary.getSummary().getTotalFailureCount() > 0;
	}

}
