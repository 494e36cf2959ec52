package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis loses its scripts, as in a restart or failover.
 */
@NeedsRedisServer
class ScriptFlushTests {

	@ParameterizedTest
	@EnumSource(Route.class)
	void scriptFlushGoesUnnoticed(Route route) {
		LongAdder failures = new LongAdder();
		LongAdder renewals = new LongAdder();
		LockListener listener = new LockListener() {

			@Override
			public void renewed(HeldLock lock) {
				renewals.increment();
			}

			@Override
			public void renewalFailed(HeldLock lock, LockStoreException failure) {
				failures.increment();
			}

		};
		try (RedisProcess redis = RedisProcess.start();
				RedisLockTemplate locks = new RedisLockTemplate(
						RedisLockStore.create(route.over(redis.connectionFactory()), RedisLockStoreOptions.defaults()),
						LockConfiguration.defaults().listeners(List.of(listener)))) {
			LockOptions options = LockOptions.options().waitTime(Duration.ofSeconds(10));
			// Renewed after 3 s, so a busy machine has 1.5 s for each reply.
			LockHandle held = locks.acquire(LockTarget.of("held"), options.timeout(Duration.ofSeconds(9)));
			IntStream.range(0, 50).forEach((number) -> {
				redis.command("SCRIPT", "FLUSH");
				LockHandle lock = locks.acquire(LockTarget.of("job"), options);
				redis.command("SCRIPT", "FLUSH");
				lock.renew();
				redis.command("SCRIPT", "FLUSH");
				assertThat(lock.verify()).isTrue();
				redis.command("SCRIPT", "FLUSH");
				assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
			});

			Awaitility.await("renewal").atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20)).until(() -> {
				redis.command("SCRIPT", "FLUSH");
				return renewals.sum() > 0;
			});
			assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(failures.sum()).isZero();
			assertThat(redis.commandCounts().get("eval")).as("scripts sent anew").isGreaterThan(200);
		}
	}

}
