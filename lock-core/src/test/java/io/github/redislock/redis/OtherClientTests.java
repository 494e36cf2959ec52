package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mutual exclusion with a program that does not use this library, such as one in Python.
 * It sets the key with {@code SET NX PX} and compares the value before it deletes the
 * key.
 */
@ExtendWith(RedisServerExtension.class)
class OtherClientTests {

	private static final String KEY = "distributed_lock:order:42";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	@AutoClose
	private final RedisLockTemplate locks = new RedisLockTemplate(TestRedis.shared().connectionFactory());

	@Test
	void lockHeldByTheOtherClientIsRefusedUntilItsRelease() {
		assertThat(otherAcquires("3f2a77", MINUTE)).isTrue();

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(LockTarget.of("order:42"), LockOptions.options().retry(0)))
			.satisfies((refused) -> assertThat(refused.getHolder()).satisfies((holder) -> {
				assertThat(holder.holder()).isEqualTo("another client");
				assertThat(holder.freeIn()).isBetween(Duration.ofSeconds(30), MINUTE);
			}));
		assertThat(this.locks.inspect(LockTarget.of("order:42"))).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo("3f2a77");
			assertThat(state.fencingToken()).isNull();
			assertThat(state.since()).isNull();
		});

		assertThat(otherReleases("3f2a77")).isTrue();
		this.locks.acquire(LockTarget.of("order:42"), LockOptions.options().retry(0)).close();
	}

	@Test
	void ourLockIsRefusedToTheOtherClientUntilItsRelease() {
		try (LockHandle lock = this.locks.acquire(LockTarget.of("order:42"), LockOptions.options().timeout(MINUTE))) {
			assertThat(this.redis.opsForValue().get(KEY)).startsWith(lock.owner() + "\t");
			assertThat(otherAcquires("3f2a77", MINUTE)).isFalse();
			assertThat(otherReleases("3f2a77")).isFalse();
			assertThat(otherExtends("3f2a77", 1_000)).isFalse();
			assertThat(lock.verify()).isTrue();
		}

		assertThat(otherAcquires("3f2a77", MINUTE)).isTrue();
	}

	@Test
	void callerWaitsForTheOtherClient() {
		otherAcquires("3f2a77", MINUTE);
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> this.locks.acquire(LockTarget.of("order:42"),
					LockOptions.options().waitTime(MINUTE).retryDelay(Duration.ofMillis(20))), OwnThread::run);

		otherReleases("3f2a77");

		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void lockOfACrashedOtherClientIsAcquiredAfterItsLease() {
		otherAcquires("3f2a77", Duration.ofMillis(300));

		try (LockHandle lock = this.locks.acquire(LockTarget.of("order:42"), LockOptions.options().waitTime(MINUTE))) {
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void lockReleasedByTheOtherClientWithOurTokenIsLost() {
		LockHandle lock = this.locks.acquire(LockTarget.of("order:42"), LockOptions.options().owner("ours"));

		assertThat(otherReleases("ours")).isTrue();
		assertThat(otherAcquires("3f2a77", MINUTE)).isTrue();

		assertThat(lock.verify()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(this.redis.opsForValue().get(KEY)).isEqualTo("3f2a77");
	}

	@Test
	void lockIsResumedWithTheTokenOfTheOtherClient() {
		otherAcquires("3f2a77", Duration.ofSeconds(10));

		try (LockHandle lock = this.locks.acquire(LockTarget.of("order:42"),
				LockOptions.options().timeout(MINUTE).owner("3f2a77"))) {
			assertThat(lock.fencingToken()).isPositive();
			assertThat(otherExtends("3f2a77", 1_000)).isTrue();
			assertThat(lock.verify()).isTrue();
		}

		assertThat(this.redis.hasKey(KEY)).isFalse();
	}

	private boolean otherAcquires(String token, Duration timeout) {
		return Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(KEY, token, timeout));
	}

	private boolean otherReleases(String token) {
		return script("""
				if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
				redis.call('del', KEYS[1])
				return 1
				""", token);
	}

	private boolean otherExtends(String token, long millis) {
		return script("""
				if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
				redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + ARGV[2])
				return 1
				""", token, Long.toString(millis));
	}

	private boolean script(String text, Object... arguments) {
		Long reply = this.redis.execute(new DefaultRedisScript<>(text, Long.class), List.of(KEY), arguments);
		return reply != null && reply == 1;
	}

}
