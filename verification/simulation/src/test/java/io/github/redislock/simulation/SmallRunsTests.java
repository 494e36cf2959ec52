package io.github.redislock.simulation;

import java.util.concurrent.TimeUnit;

import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every order of deliveries in small runs. They are apart from {@link SimulationTests},
 * so that both use a processor.
 */
@NeedsLua
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SmallRunsTests {

	@Test
	void allSmallRunsKeepAllPromises() {
		try (LuaScripts lua = new LuaScripts()) {
			SmallRuns runs = new SmallRuns(lua, Mistake.NONE);

			assertThat(runs.search()).as("verification/simulation/run.sh --small").isNull();
			assertThat(runs.count()).isGreaterThan(10_000);
			assertThat(Caller.count()).as("threads of worlds that are over").isZero();
		}
	}

}
