package io.github.redislock.redis;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lock names with braces, which a Redis Cluster interprets as hash tags.
 */
@NeedsRedisServer
@Tag("fault")
class NamesInClusterTests {

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofSeconds(20));

	@ParameterizedTest
	@ValueSource(strings = { "distributed_lock:", "", "{tag}:", "}{" })
	void allKeysOfALockLieInOneSlot(String prefix) {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().keyPrefix(prefix);
		Random random = new Random(42);
		try (RedisLockTemplate locks = template(options); RedisLockTemplate others = template(options)) {
			locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
			for (int i = 0; i < 100; i++) {
				String name = name(random);
				try (LockHandle lock = locks.acquire(LockTarget.of(name), PATIENT)) {
					// Wait, so that the keys of the queue are written too.
					assertThat(others.tryAcquire(LockTarget.of(name), PATIENT.waitTime(Duration.ofMillis(1)))).as(name)
						.isNull();
					lock.renew();
					assertThat(others.inspect(LockTarget.of(name))).as(name).isPresent();
				}
				catch (LockKeyConflictException ex) {
					assertThat(prefix + name).startsWith("{");
				}
				// A caller that has just stopped waiting may be handed the lock for a
				// moment.
				Awaitility.await(name).pollDelay(Duration.ZERO).until(() -> !others.isLocked(LockTarget.of(name)));
			}
		}
	}

	@Test
	void slotErrorRaisedByTheClientIsRecognized() {
		LockTarget apart = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"));
		try (RedisLockTemplate locks = new RedisLockTemplate(
				new ForeignConnectionFactory(Deployment.CLUSTER_BY_JEDIS::connectionFactory))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(apart, PATIENT))
				.withMessageContaining("the keys of the lock lie in different slots of the cluster")
				.satisfies((failure) -> assertThat(failure.isRetryable()).isFalse());
		}
	}

	private static RedisLockTemplate template(RedisLockStoreOptions options) {
		return new RedisLockTemplate(RedisLockStore.create(Deployment.CLUSTER.connectionFactory(), options),
				LockConfiguration.defaults());
	}

	private static String name(Random random) {
		String alphabet = "{}ab:é";
		return IntStream.range(0, 3 + random.nextInt(8))
			.mapToObj((i) -> alphabet.substring(random.nextInt(6)).substring(0, 1))
			.collect(Collectors.joining());
	}

}
