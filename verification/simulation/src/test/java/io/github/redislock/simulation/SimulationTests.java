package io.github.redislock.simulation;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import io.github.redislock.testing.Effort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short form of {@code verification/simulation/run.sh}. It uses the same seeds each
 * time, so that failures are repeatable, and some new ones. The time limit of a method is
 * longer than usual, because a number of schedules keeps the processor busy.
 */
@NeedsLua
@Tag("promise-1")
@Tag("promise-2")
@Tag("promise-3")
@Tag("promise-5")
@Tag("promise-6")
@Tag("promise-7")
@Tag("promise-12")
@Tag("promise-14")
@Tag("promise-16")
@Tag("promise-quorum")
@Tag("promise-taken-by-force")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SimulationTests {

	private static final int SEEDS = Effort.of(180, 300);

	/** Many large schedules take seconds. These reach what only large ones reach. */
	private static final int FIRST_LARGE_SEED = Effort.of(24, 1);

	private static final int LARGE_SEEDS = Effort.of(7, 40);

	private static final Duration FRESH = Duration.ofSeconds(5);

	private static final Map<Scenario, List<String>> SAMPLES = new EnumMap<>(Scenario.class);

	private static LuaScripts lua;

	/**
	 * The interpreter for the fixed seeds, which counts the branches that scripts take.
	 */
	private static LuaScripts sampled;

	private static Reached reached;

	@BeforeAll
	static void open() {
		lua = new LuaScripts();
		sampled = new LuaScripts();
		reached = new Reached();
	}

	@AfterEach
	void noThreadIsLeftInAWorldThatIsOver() {
		assertThat(Caller.count()).isZero();
	}

	@AfterAll
	static void close() {
		lua.close();
		sampled.close();
	}

	@ParameterizedTest
	@EnumSource
	void shortSchedulesKeepAllPromises(Scenario scenario) {
		assertThat(sample(scenario)).as("see verification/simulation/run.sh").isEmpty();
	}

	/**
	 * Fails if the fixed seeds no longer reach one of the branches.
	 */
	@Test
	void shortSchedulesReachEveryReachableBranch() {
		for (Scenario scenario : Scenario.values()) {
			sample(scenario);
		}
		reached.add(sampled);
		reached.lines().forEach(System.out::println);

		assertThat(reached.missing()).isEmpty();
		assertThat(reached.table()).containsKeys(Reached.unreachable().keySet().toArray(String[]::new));
		assertThat(Reached.unreachable().keySet()).allMatch((row) -> reached.table().get(row) == 0,
				"is not reached, as its reason says");
	}

	/**
	 * Run the seeds of a scenario once for all tests.
	 * @return the story of the first run that broke a promise, if there is one
	 */
	private static List<String> sample(Scenario scenario) {
		return SAMPLES.computeIfAbsent(scenario,
				(sample) -> ((sample == Scenario.LARGE)
						? LongStream.range(FIRST_LARGE_SEED, FIRST_LARGE_SEED + LARGE_SEEDS)
						: LongStream.rangeClosed(1, SEEDS))
					.mapToObj((seed) -> new Run(seed, sample))
					.filter((run) -> {
						Run.Result result = run.go(sampled, false);
						reached.add(result.counts());
						return result.violation() != null;
					})
					.limit(1)
					.map((run) -> run + "\n" + String.join("\n", run.go(lua, true).story()))
					.toList());
	}

	/**
	 * Uses different seeds each time, because some bugs appear in only one of 100 000
	 * schedules.
	 */
	@Test
	void randomSchedulesKeepAllPromises() {
		long end = System.nanoTime() + FRESH.toNanos();
		long seed = System.currentTimeMillis() * 1_000;
		System.out.println("[simulation] fresh seeds from " + seed);

		for (; System.nanoTime() < end; seed++) {
			for (Scenario scenario : Scenario.dueFor(seed)) {
				if (System.nanoTime() < end) {
					assertThat(new Run(seed, scenario).go(lua, false).violation())
						.as("verification/simulation/run.sh --seed %d --scenario %s", seed, scenario)
						.isNull();
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void sameSeedGivesTheSameRun(Scenario scenario) {
		Run.Result first = new Run(7, scenario).go(lua, true);
		Run.Result again = new Run(7, scenario).go(lua, true);

		assertThat(again.story()).isEqualTo(first.story());
		assertThat(again.hash()).isEqualTo(first.hash());
	}

	@Test
	void recordingTheEventsDoesNotChangeTheRun() {
		assertThat(new Run(9, Scenario.HOT).go(lua, true).hash())
			.isEqualTo(new Run(9, Scenario.HOT).go(lua, false).hash());
	}

	@Test
	void differentSeedsGiveDifferentRuns() {
		Set<Long> hashes = new HashSet<>();

		LongStream.range(0, 20).forEach((seed) -> hashes.add(new Run(seed, Scenario.HOT).go(lua, false).hash()));

		assertThat(hashes).hasSize(20);
	}

}
