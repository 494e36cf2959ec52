package io.github.redislock.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
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

	private final Set<String> accepted = new HashSet<>();

	private final Set<String> needless;

	private final LuaTests tests;

	private final Map<Outcome, Integer> sum = new EnumMap<>(Outcome.class);

	private LuaMutants(Path accepted, LuaTests tests) throws IOException {
		this.tests = tests;
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
		try (LuaTests tests = new LuaTests(Path.of(arguments[1]))) {
			Set<String> only = Stream.of(arguments).skip(2).collect(Collectors.toSet());
			System.exit(new LuaMutants(Path.of(arguments[0]), tests).areAllFound(only) ? 0 : 1);
		}
	}

	private boolean areAllFound(Set<String> only) {
		requireGreenWithoutMistake();
		// Tests run beside the schedules of the mistakes that follow.
		CompletableFuture<?> tested = CompletableFuture.completedFuture(null);
		for (Map.Entry<String, String> file : ScriptBranches.files().entrySet()) {
			if (!only.isEmpty() && only.stream().noneMatch(file.getKey()::startsWith)) {
				continue;
			}
			Map<Outcome, Integer> row = new EnumMap<>(Outcome.class);
			for (LuaMutant mutant : LuaMutant.of(file.getKey(), file.getValue())) {
				if (compiles(mutant)) {
					this.needless.remove(mutant.id());
					Outcome known = known(mutant);
					tested = tested.thenRunAsync(() -> judge(mutant, known, row));
				}
			}
			tested = tested.thenRunAsync(() -> print(file.getKey(), row));
		}
		tested.join();
		requireGreenWithoutMistake();
		print("all", this.sum);
		if (only.isEmpty()) {
			this.needless.forEach((id) -> System.out.println("NO SUCH MISTAKE " + id));
		}
		return !this.sum.containsKey(Outcome.SURVIVED) && (!only.isEmpty() || this.needless.isEmpty());
	}

	/**
	 * Nothing that the tests said of a mistake counts if they are also red without one.
	 */
	private void requireGreenWithoutMistake() {
		if (this.tests.areRed("take", ScriptBranches.files().get("take"))) {
			throw new IllegalStateException("The tests fail without a mistake");
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

	private void judge(LuaMutant mutant, Outcome known, Map<Outcome, Integer> row) {
		Outcome outcome = (known == Outcome.SURVIVED) ? tested(mutant) : known;
		row.merge(outcome, 1, Integer::sum);
		this.sum.merge(outcome, 1, Integer::sum);
	}

	private Outcome tested(LuaMutant mutant) {
		try {
			if (this.tests.areRed(mutant.file(), mutant.text())) {
				return Outcome.FOUND_BY_TESTS;
			}
			System.out.println("SURVIVED " + mutant.id());
		}
		catch (IllegalStateException ex) {
			// Not a proof that the tests would find the mistake.
			System.out.println("NOT JUDGED " + mutant.id());
		}
		return Outcome.SURVIVED;
	}

	private static void print(String file, Map<Outcome, Integer> row) {
		System.out.printf("%-20s %5d mistakes: found by schedules %4d, by tests %4d; accepted %4d, survived %4d%n",
				file, row.values().stream().mapToInt(Integer::intValue).sum(),
				row.getOrDefault(Outcome.FOUND_BY_SCHEDULES, 0), row.getOrDefault(Outcome.FOUND_BY_TESTS, 0),
				row.getOrDefault(Outcome.ACCEPTED, 0), row.getOrDefault(Outcome.SURVIVED, 0));
	}

	private enum Outcome {

		FOUND_BY_SCHEDULES, FOUND_BY_TESTS, ACCEPTED, SURVIVED

	}

}
