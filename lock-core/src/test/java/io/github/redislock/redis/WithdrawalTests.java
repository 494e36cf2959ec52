package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.github.redislock.LockOptions;
import io.github.redislock.redis.Contention.Behaviour;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters are interrupted or give up while the lock is on its way to them.
 */
@NeedsRedisServer
@Tag("fault")
class WithdrawalTests {

	private static final LockOptions OPTIONS = LockOptions.timeout(Duration.ofMinutes(1));

	@Test
	void whatCrossesAWithdrawalIsPassedOnAndNothingStays() {
		try (Instances instances = new Instances()) {
			List<RedisLockTemplate> locks = List.of(instances.start(), instances.start(), instances.start());
			Behaviour behaviour = new Behaviour(WithdrawalTests::impatient,
					() -> Duration.ofMillis(ThreadLocalRandom.current().nextInt(5)));
			try (Contention contention = Contention.of(locks, 4, behaviour)) {
				long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
				while (System.nanoTime() - end < 0) {
					contention.interruptSomebody();
					Instances.work(Duration.ofMillis(3));
				}

				contention.stop();
				// Completes what is still under way, and waits for nothing else.
				locks.forEach(instances::stop);

				assertThat(instances.keysInUse(Contention.NAME)).isEmpty();
				contention.requireExclusion();
				assertThat(contention.holdsPerInstance()).allSatisfy((holds) -> assertThat(holds).isGreaterThan(10));
				assertThat(instances.losses).isEmpty();
			}
		}
	}

	private static LockOptions impatient() {
		return OPTIONS.waitTime(Duration.ofMillis(ThreadLocalRandom.current().nextInt(40)));
	}

}
