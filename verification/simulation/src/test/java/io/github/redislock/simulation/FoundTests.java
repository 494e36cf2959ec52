package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * What the simulation has found, shrunk, and kept since it was mended. The name says what
 * went wrong.
 */
@NeedsLua
class FoundTests {

	/** Seed 2463, {@code hot}. */
	@Test
	void hastyCallerWaitedForThePatientOneThatGotTheFirstAnswer() {
		Setting setting = Setting.USUAL.instances(1).commandTimeout(Duration.ofMillis(600));

		requireSound(new Plan(setting,
				List.of(step(1, (world) -> world.servers().get(0).standStill()),
						ask(10, Duration.ofMinutes(2), Duration.ofMillis(1_500)),
						ask(20, Duration.ofMillis(100), Duration.ofMillis(10)),
						step(400, (world) -> world.servers().get(0).goOn())),
				500_000_000));
	}

	/** Somebody longed for more than a lease in doubt can give: nobody had the lock. */
	@Test
	void leaseThatAnUnansweredRenewalKeptShortWasRenewedWithoutEnd() {
		try (LuaScripts lua = new LuaScripts()) {
			Run run = new Run(2_016_213, Scenario.QUORUM, Mistake.NONE, Set.of(0, 2, 4, 5, 7, 9, 10, 14, 16));
			assertThat(run.go(lua, false).violation()).isNull();
		}
	}

	/** Seed 810003039, {@code quorum}. */
	@Test
	void serverThatMissedAReleaseWasToldOfItForAsLongAsTheLeaseOfTheFirstCallerOnly() {
		Setting setting = Setting.USUAL.servers(3).instances(1);

		requireSound(new Plan(setting,
				// A lock is passed on once the first one has made its instance listen.
				List.of(ask(1, Duration.ofMinutes(2), Duration.ZERO),
						ask(500, Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofMillis(10)),
						ask(505, Duration.ofMinutes(2), Duration.ofMillis(300)),
						step(700, (world) -> world.servers().get(2).readOnly(true))),
				2_200_000_000L));
	}

	private static void requireSound(Plan plan) {
		try (LuaScripts lua = new LuaScripts()) {
			World world = new World(plan, 1, Mistake.NONE, lua, false);
			assertThatCode(world::run).doesNotThrowAnyException();
		}
	}

	private static Step ask(long millis, Duration wait, Duration hold) {
		return ask(millis, Duration.ofSeconds(10), wait, hold);
	}

	private static Step ask(long millis, Duration lease, Duration wait, Duration hold) {
		return new Ask(millis * 1_000_000, 0, LockTarget.of("hot"), LockOptions.timeout(lease).waitTime(wait), lease,
				wait, hold, Ask.Twist.NONE, Duration.ZERO);
	}

	private static Step step(long millis, Consumer<World> action) {
		return new Step() {

			@Override
			public long at() {
				return millis * 1_000_000;
			}

			@Override
			public void happen(World world) {
				action.accept(world);
			}

		};
	}

}
