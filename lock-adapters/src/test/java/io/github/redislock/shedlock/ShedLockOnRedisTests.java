package io.github.redislock.shedlock;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskResult;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

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

	private final LockingTaskExecutor executorElsewhere = new DefaultLockingTaskExecutor(this.elsewhere);

	@AfterEach
	void close() {
		this.locks.close();
		this.other.close();
	}

	@Test
	void lockHasOneHolderAtATime() {
		SimpleLock lock = lock(this.provider).orElseThrow();

		assertThat(lock(this.elsewhere)).isEmpty();
		lock.unlock();

		assertThat(lock(this.elsewhere)).isPresent();
	}

	@Test
	void callerDoesNotWaitForABusyLock() {
		assertThat(lock(this.provider)).isPresent();
		long begin = System.nanoTime();

		assertThat(lock(this.elsewhere)).isEmpty();

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE);
		assertThat(this.other.inspect(REPORT).orElseThrow().waiters()).isZero();
	}

	@Test
	void lockIsNotReentrant() {
		assertThat(lock(this.provider)).isPresent();

		assertThat(lock(this.provider)).isEmpty();
	}

	@Test
	void anyThreadMayUnlock() throws Exception {
		SimpleLock lock = call(() -> lock(this.provider)).orElseThrow();

		lock.unlock();

		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void lockCannotBeUnlockedTwice() {
		SimpleLock lock = lock(this.provider).orElseThrow();
		lock.unlock();

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void releasedLockCannotBeExtended() {
		SimpleLock lock = lock(this.provider).orElseThrow();
		lock.unlock();

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
	void lockExcludesTemplateCallersOfTheSameName() {
		assertThat(lock(this.provider)).isPresent();

		assertThat(this.other.tryAcquire(REPORT, LockOptions.options().retry(0))).isNull();
		// Not even the thread that acquired the lock through ShedLock reenters it.
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
	void taskIsSkippedWhileAnotherRuns() throws Throwable {
		this.executor.executeWithLock((Runnable) () -> {
			TaskResult<String> skipped = skippedElsewhere();
			assertThat(skipped.wasExecuted()).isFalse();
			assertThat(skipped.getResult()).isNull();
		}, configuration(MINUTE, Duration.ZERO));
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
	void failingTaskReleasesTheLockAndItsExceptionIsThrown() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.executor.executeWithLock((LockingTaskExecutor.Task) () -> {
				throw new IOException("task");
			}, configuration(MINUTE, Duration.ZERO)));

		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void taskCanExtendItsLock() {
		this.executor.executeWithLock((Runnable) () -> {
			LockExtender.extendActiveLock(Duration.ofMinutes(10), Duration.ZERO);

			assertThat(remaining()).isGreaterThan(Duration.ofMinutes(9));
		}, configuration(MINUTE, Duration.ZERO));

		assertThat(this.other.isLocked(REPORT)).isFalse();
	}

	@Test
	void overrunningTaskIsReported() {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock.engine.Hold")) {
			this.executor.executeWithLock((Runnable) this::overrun,
					configuration(Duration.ofSeconds(2), Duration.ZERO));

			assertThat(log.text()).contains("Lock 'report' was lost");
		}
	}

	@Test
	void overrunningTaskCannotExtendItsLock() {
		List<Throwable> refusals = new ArrayList<>();

		// After a failed extension, the executor fails at its end with any provider.
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.executor.executeWithLock((Runnable) () -> {
				overrun();
				refusals.add(catchThrowable(() -> LockExtender.extendActiveLock(MINUTE, Duration.ZERO)));
			}, configuration(Duration.ofSeconds(2), Duration.ZERO)));

		assertThat(refusals).singleElement().isInstanceOf(LockExtender.LockCanNotBeExtendedException.class);
	}

	@Test
	void noIncrementOfAnExecutedTaskIsLost() throws Exception {
		int[] counter = new int[1];
		List<FutureTask<Integer>> workers = new ArrayList<>();
		for (LockingTaskExecutor each : List.of(this.executor, this.executorElsewhere, this.executor,
				this.executorElsewhere)) {
			FutureTask<Integer> worker = new FutureTask<>(() -> executed(each, counter));
			new Thread(worker).start();
			workers.add(worker);
		}

		int executed = 0;
		for (FutureTask<Integer> worker : workers) {
			executed += worker.get(60, TimeUnit.SECONDS);
		}

		assertThat(executed).isPositive();
		assertThat(counter[0]).isEqualTo(executed);
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

	private int executed(LockingTaskExecutor executor, int[] counter) throws Exception {
		int executed = 0;
		for (int round = 0; round < 100; round++) {
			try {
				TaskResult<Integer> result = executor.executeWithLock(() -> {
					int read = counter[0];
					Thread.yield();
					counter[0] = read + 1;
					return read;
				}, configuration(MINUTE, Duration.ZERO));
				executed += result.wasExecuted() ? 1 : 0;
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		}
		return executed;
	}

	private void overrun() {
		Awaitility.await().atMost(PATIENCE).until(() -> !this.other.isLocked(REPORT));
	}

	private TaskResult<String> skippedElsewhere() {
		try {
			return call(() -> {
				try {
					return this.executorElsewhere.executeWithLock(() -> "done", configuration(MINUTE, Duration.ZERO));
				}
				catch (Throwable ex) {
					throw new IllegalStateException(ex);
				}
			});
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Duration remaining() {
		return this.other.inspect(REPORT).orElseThrow().freeIn();
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
