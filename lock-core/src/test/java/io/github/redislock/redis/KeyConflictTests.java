package io.github.redislock.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Another program keeps other data under the key of a lock. Every caller is refused
 * immediately, and the data stays unchanged.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-11")
class KeyConflictTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final String KEY = "distributed_lock:job";

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofMinutes(5));

	private static final LockOptions ENDLESS = LockOptions.options().neverExpires().owner("job-17").retry(0);

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	@AutoClose
	private final RedisLockTemplate locks = template(Route.OWN_CONNECTION);

	@ParameterizedTest
	@EnumSource(Route.class)
	void callsFailOnDataOfAnotherTypeAndLeaveItUnchanged(Route route) {
		this.redis.opsForList().rightPush(KEY, "somebody's data");

		try (RedisLockTemplate locks = template(route)) {
			assertEveryCallTellsTheConflict(locks, "or another key of the same lock holds data of another type");
		}

		assertThat(this.redis.opsForList().range(KEY, 0, -1)).containsExactly("somebody's data");
		assertThat(this.redis.getExpire(KEY)).isEqualTo(-1);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void callsFailOnTextWithoutExpiryAndLeaveItUnchanged(Route route) {
		this.redis.opsForValue().set(KEY, "somebody's data");

		try (RedisLockTemplate locks = template(route)) {
			assertEveryCallTellsTheConflict(locks, "holds a string without expiry that is not from Redis Lock");
		}

		assertThat(this.redis.opsForValue().get(KEY)).isEqualTo("somebody's data");
		assertThat(this.redis.getExpire(KEY)).isEqualTo(-1);
	}

	@Test
	void conflictIsReportedToAllWaiters() {
		LockHandle held = this.locks.acquire(JOB, PATIENT.owner("somebody-else"));
		List<CompletableFuture<Throwable>> waiting = IntStream.range(0, 8)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> catchThrowable(() -> this.locks.acquire(JOB, PATIENT)),
					OwnThread::run))
			.toList();
		Awaitility.await().until(() -> this.locks.inspect(JOB).orElseThrow().waiters() == 1);

		this.redis.opsForValue().set(KEY, "somebody's data");

		assertThat(waiting).allSatisfy((waiter) -> assertThat(waiter).succeedsWithin(Duration.ofSeconds(20))
			.isInstanceOf(LockKeyConflictException.class));
		assertThat(catchThrowable(held::close)).isInstanceOf(LockLostException.class);
		assertThat(this.redis.opsForValue().get(KEY)).isEqualTo("somebody's data");
	}

	@Test
	void ourOwnNonExpiringLockIsNotAConflict() {
		LockHandle lock = this.locks.acquire(JOB, ENDLESS);

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(JOB, LockOptions.options().retry(0).reentrant(false)))
			.satisfies((refused) -> assertThat(refused.getHolder()).extracting(LockState::freeIn)
				.isEqualTo(ChronoUnit.FOREVER.getDuration()));
		assertThat(this.locks.inspect(JOB).orElseThrow().fencingToken()).isEqualTo(lock.fencingToken());
		try (RedisLockTemplate other = template(Route.FOREIGN_FACTORY)) {
			assertThat(other.acquire(JOB, ENDLESS).fencingToken()).as("resumed").isEqualTo(lock.fencingToken());
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(JOB, LockOptions.options().retry(0).reentrant(false)));
			assertThat(other.forceRelease(JOB)).isTrue();
		}
		assertThat(this.locks.isLocked(JOB)).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void stateKeyOfAnotherLockCannotBeALock() {
		try (RedisLockTemplate locks = new RedisLockTemplate(RedisLockStore
			.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults().keyPrefix("")),
				LockConfiguration.defaults())) {
			try (LockHandle lock = locks.acquire(JOB)) {
				assertThatExceptionOfType(LockKeyConflictException.class)
					.isThrownBy(() -> locks.acquire(LockTarget.of("{job}:fence"), PATIENT));
				assertThat(lock.verify()).isTrue();
			}
		}
	}

	private void assertEveryCallTellsTheConflict(RedisLockTemplate locks, String problem) {
		long begin = System.nanoTime();
		assertConflict(() -> locks.acquire(JOB, PATIENT), "acquire", problem);
		assertConflict(() -> locks.tryAcquire(JOB), "acquire", problem);
		assertConflict(() -> locks.acquire(JOB, LockOptions.options().neverExpires().waitTime(Duration.ofMinutes(5))),
				"acquire", problem);
		assertConflict(() -> locks.execute(JOB, PATIENT, () -> {
			throw new AssertionError("must not run");
		}), "acquire", problem);
		assertConflict(() -> locks.inspect(JOB), "inspect", problem);
		assertConflict(() -> locks.isLocked(JOB), "inspect", problem);
		assertConflict(() -> locks.forceRelease(JOB), "force release", problem);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("nobody waits").isLessThan(Duration.ofMinutes(1));
	}

	private static void assertConflict(ThrowingCallable call, String operation, String problem) {
		assertThatExceptionOfType(LockKeyConflictException.class).isThrownBy(call).satisfies((conflict) -> {
			assertThat(conflict.getLockName()).isEqualTo("job");
			assertThat(conflict.getKey()).isEqualTo(KEY);
			assertThat(conflict).hasMessage("Lock 'job': " + operation + " failed: its key '" + KEY + "' " + problem
					+ ", which was left as it is: use another name or redis-lock.key-prefix,"
					+ " or delete that data if it is not needed");
		});
	}

	private static RedisLockTemplate template(Route route) {
		return route.open(TestRedis.shared().connectionFactory(),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)));
	}

}
