package io.github.redislock.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.redis.ScriptBranches;
import io.github.redislock.simulation.redis.LuaScripts;

/**
 * Plants small mistakes in the scripts, one at a time. Each has to break a promise in one
 * of the first schedules of the simulation, or to fail a test of the scripts on a real
 * Redis. See verification/README.md.
 */
final class LuaMutants {

	/** Schedules of each scenario. */
	private static final int SEEDS = 30;

	/** Tests mostly wait, so there are more of their processes than cores. */
	private static final int PROCESSES = 3;

	private final Set<String> accepted = new HashSet<>();

	private final Set<String> needless;

	/** The processes of tests that are idle. */
	private final BlockingQueue<LuaTests> tests;

	private final ExecutorService testers;

	private LuaMutants(Path accepted, Collection<LuaTests> tests, ExecutorService testers) throws IOException {
		this.tests = new LinkedBlockingQueue<>(tests);
		this.testers = testers;
		for (String line : Files.readAllLines(accepted)) {
			int reason = line.indexOf(" -- ");
			if (reason > 0) {
				this.accepted.add(line.substring(0, reason));
			}
		}
		this.needless = new HashSet<>(this.accepted);
	}

	/**
	 * Plant all mistakes, or only those of the given files.
	 * @param arguments the file of accepted mistakes, a folder for changed scripts, and
	 * the files or their beginnings
	 */
	public static void main(String... arguments) throws Exception {
		List<LuaTests> tests = IntStream.range(0, PROCESSES)
			.mapToObj((number) -> new LuaTests(Path.of(arguments[1], "tests-" + number)))
			.toList();
		boolean found;
		ExecutorService testers = Executors.newFixedThreadPool(PROCESSES);
		try {
			Set<String> only = Stream.of(arguments).skip(2).collect(Collectors.toSet());
			found = new LuaMutants(Path.of(arguments[0]), tests, testers).areAllFound(only);
		}
		finally {
			testers.shutdownNow();
			tests.forEach(LuaTests::close);
		}
		System.exit(found ? 0 : 1);
	}

	private boolean areAllFound(Set<String> only) throws Exception {
		requireGreenWithoutMistake();
		List<Outcome> all = new ArrayList<>();
		for (Map.Entry<String, String> file : ScriptBranches.files().entrySet()) {
			if (only.isEmpty() || only.stream().anyMatch(file.getKey()::startsWith)) {
				List<Outcome> outcomes = judge(LuaMutant.of(file.getKey(), file.getValue()));
				print(file.getKey(), outcomes);
				all.addAll(outcomes);
			}
		}
		requireGreenWithoutMistake();
		print("all", all);
		if (only.isEmpty()) {
			this.needless.forEach((id) -> System.out.println("NO SUCH MISTAKE " + id));
		}
		return !all.contains(Outcome.SURVIVED) && (!only.isEmpty() || this.needless.isEmpty());
	}

	private List<Outcome> judge(List<LuaMutant> mutants) {
		List<CompletableFuture<Outcome>> judged = new ArrayList<>();
		for (LuaMutant mutant : mutants) {
			if (compiles(mutant)) {
				this.needless.remove(mutant.id());
				// Tests run beside the schedules of the mistakes that follow.
				Outcome known = known(mutant);
				judged.add((known != Outcome.SURVIVED) ? CompletableFuture.completedFuture(known)
						: CompletableFuture.supplyAsync(() -> tested(mutant), this.testers));
			}
		}
		return judged.stream().map(CompletableFuture::join).toList();
	}

	/**
	 * Nothing that the tests said of a mistake counts if they are also red without one.
	 */
	private void requireGreenWithoutMistake() throws InterruptedException {
		if (areRed("take", ScriptBranches.files().get("take"))) {
			throw new IllegalStateException("The tests fail without a mistake");
		}
	}

	private boolean areRed(String file, String text) throws InterruptedException {
		LuaTests idle = this.tests.take();
		try {
			return idle.areRed(file, text);
		}
		finally {
			this.tests.add(idle);
		}
	}

	private static boolean compiles(LuaMutant mutant) {
		try (LuaScripts lua = new LuaScripts()) {
			return lua.compiles(mutant.text());
		}
	}

	/**
	 * Return {@link Outcome#SURVIVED} if the tests have to be asked.
	 */
	private Outcome known(LuaMutant mutant) {
		if (this.accepted.contains(mutant.id())) {
			return Outcome.ACCEPTED;
		}
		return isFoundBySchedules(mutant) ? Outcome.FOUND_BY_SCHEDULES : Outcome.SURVIVED;
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

	private Outcome tested(LuaMutant mutant) {
		try {
			if (areRed(mutant.file(), mutant.text())) {
				return Outcome.FOUND_BY_TESTS;
			}
			System.out.println("SURVIVED " + mutant.id());
		}
		catch (IllegalStateException | InterruptedException ex) {
			// Not a proof that the tests would find the mistake.
			System.out.println("NOT JUDGED " + mutant.id());
		}
		return Outcome.SURVIVED;
	}

	private static void print(String file, List<Outcome> outcomes) {
		System.out.printf("%-20s %5d mistakes: found by schedules %4d, by tests %4d; accepted %4d, survived %4d%n",
				file, outcomes.size(), Collections.frequency(outcomes, Outcome.FOUND_BY_SCHEDULES),
				Collections.frequency(outcomes, Outcome.FOUND_BY_TESTS),
				Collections.frequency(outcomes, Outcome.ACCEPTED), Collections.frequency(outcomes, Outcome.SURVIVED));
	}

	private enum Outcome {

		FOUND_BY_SCHEDULES, FOUND_BY_TESTS, ACCEPTED, SURVIVED

	}

}
