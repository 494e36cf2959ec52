package io.github.redislock.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The short form of {@code verification/simulation/run.sh}: always the same seeds, so
 * that a build that fails fails again.
 */
@NeedsLua
class SimulationTests {

	private static final long FIRST_SEED = 1;

	private static LuaScripts lua;

	@BeforeAll
	static void open() {
		lua = new LuaScripts();
	}

	@AfterEach
	void noThreadIsLeftInAWorldThatIsOver() {
		assertThat(Caller.count()).isZero();
	}

	@AfterAll
	static void close() {
		lua.close();
	}

	@ParameterizedTest
	@EnumSource
	void shortSchedulesKeepAllPromises(Scenario scenario) {
		int seeds = (scenario == Scenario.QUORUM) ? 40 : 300;

		List<String> broken = LongStream.range(FIRST_SEED, FIRST_SEED + seeds)
			.mapToObj((seed) -> new Run(seed, scenario))
			.filter((run) -> run.go(lua, false).violation() != null)
			.limit(1)
			.map((run) -> run + "\n" + String.join("\n", run.go(lua, true).story()))
			.toList();

		assertThat(broken).as("verification/simulation/run.sh tells more").isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void sameSeedTakesTheSameCourse(Scenario scenario) {
		Run.Result first = new Run(7, scenario).go(lua, true);
		Run.Result again = new Run(7, scenario).go(lua, true);

		assertThat(again.story()).isEqualTo(first.story());
		assertThat(again.hash()).isEqualTo(first.hash());
	}

	@Test
	void whoReadsTheStoryDoesNotChangeIt() {
		assertThat(new Run(9, Scenario.HOT).go(lua, true).hash())
			.isEqualTo(new Run(9, Scenario.HOT).go(lua, false).hash());
	}

	@Test
	void otherSeedsTakeOtherCourses() {
		Set<Long> hashes = new HashSet<>();

		LongStream.range(0, 20).forEach((seed) -> hashes.add(new Run(seed, Scenario.HOT).go(lua, false).hash()));

		assertThat(hashes).hasSize(20);
	}

}
