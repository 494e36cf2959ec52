package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;

import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.redis.Contention.Behaviour;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.redislock.redis.Instances.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock passes from thread to thread inside an instance without Redis, until it is
 * another instance's turn.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-3")
class LocalPassTests {

	private Instances instances;

	@BeforeEach
	void start() {
		this.instances = new Instances();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void tenAcquisitionsNeedAtMostOneRequestOnAverage() {
		// On a slow machine, only a few of them fit into the usual time of a turn.
		RedisLockTemplate locks = this.instances.start(LockConfiguration.defaults().slice(Duration.ofMinutes(1)));
		Behaviour behaviour = new Behaviour(() -> PATIENT, () -> Duration.ZERO);
		try (Contention contention = Contention.of(List.of(locks), 16, behaviour)) {
			Instances.await("warm JVM").until(() -> contention.holds() > 2_000);
			int holdsBefore = contention.holds();
			this.instances.redis.command("CONFIG", "RESETSTAT");

			Instances.await("many holds").until(() -> contention.holds() > holdsBefore + 20_000);
			long requests = this.instances.redis.commandCounts().get("evalsha");
			int holds = contention.holds() - holdsBefore;
			contention.stop();

			System.out.println("[local passes] " + holds + " holds, " + requests + " requests");
			assertThat((double) requests / holds).isLessThanOrEqualTo(0.1);
			contention.requireExclusion(this.instances);
			this.instances.requireNoLoss();
		}
	}

	@Test
	void turnHasAtMostThirtyThreeHoldsWhileOthersWait() {
		List<RedisLockTemplate> locks = List.of(this.instances.start(), this.instances.start());
		Behaviour behaviour = new Behaviour(() -> PATIENT, () -> Duration.ZERO);
		try (Contention contention = Contention.of(locks, 8, behaviour)) {
			Instances.await("many holds").until(() -> contention.holds() > 10_000);
			List<Integer> turns = contention.turns();
			contention.stop();

			// The first and the last turn may have had no contention.
			assertThat(turns.size()).isGreaterThan(100);
			assertThat(turns.subList(2, turns.size() - 1)).allSatisfy((holds) -> assertThat(holds).isBetween(1, 33));
			contention.requireExclusion(this.instances);
			this.instances.requireNoLoss();
		}
	}

}
