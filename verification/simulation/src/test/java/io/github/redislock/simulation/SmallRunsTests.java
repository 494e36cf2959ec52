package io.github.redislock.simulation;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import io.github.redislock.testing.Effort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every order of deliveries in small runs, in each build with one kind of client. They
 * are apart from {@link SimulationTests}, so that both use a processor.
 */
@NeedsLua
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SmallRunsTests {

	@Test
	void smallRunsKeepAllPromises() {
		try (LuaScripts lua = new LuaScripts()) {
			SmallRuns runs = new SmallRuns(lua, Mistake.NONE);

			assertThat(Effort.cases(false, true).map(runs::search)).as("verification/simulation/run.sh --small")
				.allMatch(Objects::isNull);
			assertThat(runs.count()).isGreaterThan(Effort.of(9_000, 20_000));
			assertThat(Caller.count()).as("threads of worlds that are over").isZero();
		}
	}

}
