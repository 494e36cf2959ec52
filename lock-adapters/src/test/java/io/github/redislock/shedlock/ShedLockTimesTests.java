package io.github.redislock.shedlock;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests what ShedLock documents about {@code lockAtMostFor} and {@code lockAtLeastFor}.
 */
class ShedLockTimesTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualLockTimer clock = new ManualLockTimer();

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.clock),
			// These defaults would break ShedLock's promises if the adapter applied them.
			LockConfiguration.defaults()
				.timer(this.clock)
				.options(LockOptions.options()
					.timeout(Duration.ofSeconds(1))
					.waitTime(Duration.ofDays(1))
					.maxHold(Duration.ofSeconds(5))));

	private final LockProvider provider = new DistributedLockProvider(this.locks);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void lockExpiresAfterLockAtMostForEvenIfItsHolderIsAlive() {
		lock(MINUTE, Duration.ZERO);

		this.clock.advance(MINUTE.minusMillis(1));
		assertThat(isLocked()).isTrue();
		this.clock.advance(MINUTE);

		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockKeptForLongerThanLockAtMostForIsReported() {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock.internal.engine.Hold")) {
			SimpleLock lock = lock(MINUTE, Duration.ZERO);
			this.clock.advance(MINUTE.multipliedBy(2));

			lock.unlock();

			assertThat(log.text()).contains("Lock 'report' was lost");
		}
	}

	/**
	 * Another thread may release the lock, for example for a reactive task.
	 */
	@Test
	void lockOfAThreadThatEndedIsNotReportedAsLeaked() throws Exception {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock.internal.engine")) {
			FutureTask<SimpleLock> acquiring = new FutureTask<>(() -> lock(MINUTE.multipliedBy(10), Duration.ZERO));
			OwnThread.start(acquiring).join();

			this.clock.advance(MINUTE.multipliedBy(2));

			assertThat(log.text()).doesNotContain("can no longer be released");
			acquiring.get().unlock();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 9 })
	void lockAtMostForMayBeShorterThanAnyLease(int millis) {
		SimpleLock lock = lock(Duration.ofMillis(millis), Duration.ZERO);

		assertThat(isLocked()).isTrue();
		assertThat(lock.extend(Duration.ofMillis(millis), Duration.ZERO)).isPresent();
		this.clock.advance(Duration.ofMillis(10 + 100));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void unreleasedLockIsKeptFivePercentLonger() {
		lock(MINUTE, Duration.ZERO);

		this.clock.advance(MINUTE.plusMillis(2_999));
		assertThat(isLocked()).isTrue();
		this.clock.advance(Duration.ofMillis(2));

		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockIsHeldForLockAtLeastFor() {
		SimpleLock lock = lock(Duration.ofMinutes(14), Duration.ofMinutes(10));
		this.clock.advance(Duration.ofSeconds(3));

		lock.unlock();

		this.clock.advance(Duration.ofMinutes(9).plusSeconds(50));
		assertThat(isLocked()).isTrue();
		this.clock.advance(Duration.ofSeconds(8));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lateUnlockDoesNotFreeTheLockOfTheNextHolder() {
		SimpleLock lock = lock(MINUTE, Duration.ZERO);
		this.clock.advance(MINUTE.multipliedBy(2));
		SimpleLock next = lock(MINUTE, Duration.ZERO);

		lock.unlock();

		assertThat(isLocked()).isTrue();
		next.unlock();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void extensionReplacesLockAtMostFor() {
		SimpleLock lock = lock(MINUTE, Duration.ZERO);
		this.clock.advance(Duration.ofSeconds(50));

		Optional<SimpleLock> extended = lock.extend(MINUTE, Duration.ZERO);

		assertThat(extended).isPresent();
		this.clock.advance(Duration.ofSeconds(59));
		assertThat(isLocked()).isTrue();
		this.clock.advance(MINUTE);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void onlyTheExtendedLockCanBeUnlocked() {
		SimpleLock lock = lock(MINUTE, Duration.ZERO);
		SimpleLock extended = lock.extend(MINUTE, Duration.ZERO).orElseThrow();

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> lock.extend(MINUTE, Duration.ZERO));

		extended.unlock();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void expiredLockCannotBeExtended() {
		SimpleLock lock = lock(MINUTE, Duration.ZERO);
		this.clock.advance(MINUTE.multipliedBy(2));

		assertThat(lock.extend(MINUTE, Duration.ZERO)).isEmpty();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockHeldByAnotherOwnerCannotBeExtended() {
		SimpleLock lock = lock(MINUTE, Duration.ZERO);
		this.locks.forceRelease(LockTarget.of("report"));
		LockHandle next = this.locks.acquire(LockTarget.of("report"), LockOptions.options().timeout(MINUTE));

		assertThat(lock.extend(MINUTE, Duration.ZERO)).isEmpty();
		assertThat(next.verify()).isTrue();
	}

	@Test
	void initialLockAtLeastForSurvivesAnExtension() {
		SimpleLock lock = lock(Duration.ofMinutes(14), Duration.ofMinutes(10));

		lock.extend(Duration.ofMinutes(14), Duration.ZERO).orElseThrow().unlock();

		this.clock.advance(Duration.ofMinutes(9));
		assertThat(isLocked()).isTrue();
		this.clock.advance(MINUTE.multipliedBy(2));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void busyCommonPoolDoesNotDelayTheReleaseOfAnExtendedLock() {
		CountDownLatch end = new CountDownLatch(1);
		try {
			for (int task = 0; task < ForkJoinPool.getCommonPoolParallelism(); task++) {
				ForkJoinPool.commonPool().execute(() -> await(end));
			}
			SimpleLock lock = lock(MINUTE, Duration.ZERO);

			long begin = System.nanoTime();
			lock.extend(MINUTE, Duration.ofMillis(500)).orElseThrow().unlock();

			// Without a delay, which would hide an early release.
			Awaitility.await("released").pollDelay(Duration.ZERO).until(() -> !isLocked());
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("lockAtLeastFor of the extension")
				.isGreaterThanOrEqualTo(Duration.ofMillis(500));
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void creationTimeOfTheConfigurationIsIgnored() {
		Instant wrong = Instant.parse("1999-12-31T23:59:59Z");

		assertThat(this.provider
			.lock(new net.javacrumbs.shedlock.core.LockConfiguration(wrong, "report", MINUTE, Duration.ZERO)))
			.isPresent();

		this.clock.advance(MINUTE.dividedBy(2));
		assertThat(isLocked()).isTrue();
	}

	@Test
	void keepAliveProviderCanExtendTheLockRepeatedly() throws Exception {
		List<Runnable> beats = new ArrayList<>();
		LockProvider keepAlive = new KeepAliveLockProvider(new DistributedLockProvider(this.locks), recording(beats));
		SimpleLock lock = keepAlive.lock(configuration(MINUTE, Duration.ZERO)).orElseThrow();

		for (int beat = 0; beat < 5; beat++) {
			this.clock.advance(MINUTE.dividedBy(2));
			// It runs on a scheduler thread, as usual.
			elsewhere(() -> {
				beats.get(0).run();
				return null;
			});
			assertThat(isLocked()).isTrue();
		}

		lock.unlock();
		assertThat(isLocked()).isFalse();
	}

	private SimpleLock lock(Duration atMost, Duration atLeast) {
		return this.provider.lock(configuration(atMost, atLeast)).orElseThrow();
	}

	private boolean isLocked() {
		return this.locks.isLocked(LockTarget.of("report"));
	}

	private static net.javacrumbs.shedlock.core.LockConfiguration configuration(Duration atMost, Duration atLeast) {
		return new net.javacrumbs.shedlock.core.LockConfiguration(Instant.now(), "report", atMost, atLeast);
	}

	/**
	 * Return a scheduler that only records repeated tasks.
	 */
	private static ScheduledExecutorService recording(List<Runnable> tasks) {
		return (ScheduledExecutorService) Proxy.newProxyInstance(ShedLockTimesTests.class.getClassLoader(),
				new Class<?>[] { ScheduledExecutorService.class }, (proxy, method, arguments) -> {
					tasks.add((Runnable) arguments[0]);
					return java.util.concurrent.Executors.newSingleThreadScheduledExecutor()
						.schedule(() -> null, 0, TimeUnit.SECONDS);
				});
	}

	private static void await(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static <T> T elsewhere(Callable<T> work) throws Exception {
		FutureTask<T> task = new FutureTask<>(work);
		new Thread(task).start();
		return task.get(20, TimeUnit.SECONDS);
	}

}
