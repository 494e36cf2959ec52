package io.github.redislock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskResult;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests what ShedLock documents, with two instances of an application.
 */
@ExtendWith(RedisServerExtension.class)
class ShedLockOnRedisTests {

	private static final LockTarget REPORT = LockTarget.of("report");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final LockTemplate locks = start("distributed_lock:");

	private final LockTemplate other = start("distributed_lock:");

	private final LockProvider provider = new DistributedLockProvider(this.locks);

	private final LockProvider elsewhere = new DistributedLockProvider(this.other);

	private final LockingTaskExecutor executor = new DefaultLockingTaskExecutor(this.provider);

	@AfterEach
	void close() {
		this.locks.close();
		this.other.close();
	}

	@Test
	void lockHasOneHolderAtATimeAndNoWaiters() {
		SimpleLock lock = lock(this.provider).orElseThrow();
		long begin = System.nanoTime();

		assertThat(lock(this.elsewhere)).isEmpty();

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("no wait").isLessThan(PATIENCE);
		assertThat(this.other.inspect(REPORT).orElseThrow().waiters()).isZero();
		lock.unlock();
		assertThat(lock(this.elsewhere)).isPresent();
	}

	@Test
	void anyThreadMayUnlock() throws Exception {
		SimpleLock lock = call(() -> lock(this.provider)).orElseThrow();

		lock.unlock();

		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void lockCannotBeUnlockedTwiceOrExtendedLater() {
		SimpleLock lock = lock(this.provider).orElseThrow();
		lock.unlock();

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> lock.extend(MINUTE, Duration.ZERO));
	}

	@Test
	void lockAndAKeyOfShedLocksRedisProvidersExcludeOneAnother() {
		// ShedLock's providers for Redis store this under job-lock:<environment>:<name>.
		StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());
		try (LockTemplate sameKeys = start("job-lock:default:")) {
			LockProvider ours = new DistributedLockProvider(sameKeys);
			redis.opsForValue().setIfAbsent("job-lock:default:report", "ADDED:2026-01-01@host", MINUTE);
			assertThat(lock(ours)).isEmpty();
			redis.delete("job-lock:default:report");

			assertThat(lock(ours)).isPresent();

			assertThat(redis.opsForValue().setIfAbsent("job-lock:default:report", "ADDED:2026-01-01@host", MINUTE))
				.isFalse();
		}
	}

	@Test
	void lockExcludesAllOtherCallersOfTheSameName() {
		assertThat(lock(this.provider)).isPresent();

		assertThat(this.other.tryAcquire(REPORT, LockOptions.options().retry(0))).isNull();
		// Not even the thread that acquired the lock through ShedLock reenters it.
		assertThat(lock(this.provider)).isEmpty();
		assertThat(this.locks.tryAcquire(REPORT, LockOptions.options().retry(0))).isNull();
	}

	@Test
	void taskRunsUnderTheLockAndReleasesIt() throws Throwable {
		TaskResult<String> result = this.executor.executeWithLock(() -> {
			LockAssert.assertLocked();
			assertThat(lock(this.elsewhere)).isEmpty();
			return "done";
		}, configuration(MINUTE, Duration.ZERO));

		assertThat(result.wasExecuted()).isTrue();
		assertThat(result.getResult()).isEqualTo("done");
		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void nestedTaskOfTheSameNameRuns() {
		List<String> ran = new ArrayList<>();

		this.executor.executeWithLock((Runnable) () -> {
			ran.add("outer");
			this.executor.executeWithLock((Runnable) () -> ran.add("inner"), configuration(MINUTE, Duration.ZERO));
			assertThat(this.other.isLocked(REPORT)).isTrue();
		}, configuration(MINUTE, Duration.ZERO));

		assertThat(ran).containsExactly("outer", "inner");
		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void outageFailsTheTaskInsteadOfSkippingIt() {
		LettuceConnectionFactory down = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", RedisProcess.freePort()));
		down.afterPropertiesSet();
		down.start();
		try (LockTemplate unreachable = new RedisLockTemplate(down)) {
			LockingTaskExecutor failing = new DefaultLockingTaskExecutor(new DistributedLockProvider(unreachable));

			assertThatExceptionOfType(LockException.class).isThrownBy(() -> failing.executeWithLock((Runnable) () -> {
				throw new AssertionError("runs without the lock");
			}, configuration(MINUTE, Duration.ZERO)))
				.withMessageContaining("report")
				.withCauseInstanceOf(LockStoreException.class);
		}
		finally {
			down.destroy();
		}
	}

	private static Optional<SimpleLock> lock(LockProvider provider) {
		return provider.lock(configuration(MINUTE, Duration.ZERO));
	}

	private static net.javacrumbs.shedlock.core.LockConfiguration configuration(Duration atMost, Duration atLeast) {
		return new net.javacrumbs.shedlock.core.LockConfiguration(Instant.now(), "report", atMost, atLeast);
	}

	private static LockTemplate start(String prefix) {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().keyPrefix(prefix).commandTimeout(PATIENCE);
		// A provider that waited, unlike ShedLock, would take this long.
		LockConfiguration patient = LockConfiguration.defaults().options(LockOptions.options().waitTime(MINUTE));
		return new RedisLockTemplate(RedisLockStore.create(TestRedis.shared().connectionFactory(), options), patient);
	}

	private static <T> T call(Callable<T> work) throws Exception {
		FutureTask<T> task = new FutureTask<>(work);
		new Thread(task).start();
		return task.get(20, TimeUnit.SECONDS);
	}

}
