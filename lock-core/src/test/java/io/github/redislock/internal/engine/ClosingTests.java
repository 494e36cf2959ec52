package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * A template is closed while callers hold locks or wait for them.
 */
@Tag("promise-10")
class ClosingTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final RecordingListener listener = new RecordingListener();

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	@Test
	void holderThatReleasesInTimeReportsNoLoss() {
		LockTemplate locks = template(Duration.ofSeconds(40));
		LockHandle lock = supply(() -> locks.acquire(JOB)).join();

		CompletableFuture<?> closing = CompletableFuture.runAsync(locks::close, OwnThread::run);
		awaitClosed(locks);
		assertThat(lock.isHeld()).isTrue();
		assertThat(closing).isNotDone();
		ReleaseOutcome outcome = lock.release();

		assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.listener.events).doesNotContain("lost");
	}

	@Test
	void holderThatDoesNotReleaseLosesTheLockAfterTheCloseWait() {
		LockTemplate locks = template(Duration.ofMillis(100));
		LockHandle lock = supply(() -> locks.acquire(JOB)).join();

		locks.close();

		assertThat(lock.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.extracting(LockLostException::getReason, as(STRING))
			.startsWith("this instance shut down while it was held");
	}

	@Test
	void closingWaitsForHoldersNoLongerThanTheCloseWait() {
		AtomicLong now = new AtomicLong();
		List<Duration> waits = new ArrayList<>();
		LockTemplate locks = template(new InMemoryLockStore(), Duration.ofMillis(50), now::get, (done, limit) -> {
			if (!done.isDone()) {
				waits.add(limit);
				now.addAndGet(limit.toNanos());
			}
			return done.isDone();
		});
		supply(() -> locks.acquire(JOB)).join().detach();

		locks.close();

		assertThat(waits).containsExactly(Duration.ofMillis(20), Duration.ofMillis(20), Duration.ofMillis(10));
	}

	@Test
	void closingRunsLossActionsButDoesNotWaitLongForOneThatBlocks() {
		LockTemplate locks = template(Duration.ZERO);
		CountDownLatch blocked = new CountDownLatch(1);
		supply(() -> locks.acquire(LockTarget.of("slow"))).join()
			.onLost(() -> Awaitility.await().forever().until(() -> blocked.getCount() == 0));
		AtomicInteger told = new AtomicInteger();
		supply(() -> locks.acquire(JOB)).join().onLost(told::incrementAndGet);

		locks.close();

		assertThat(told).hasValue(1);
		blocked.countDown();
		// An idle thread ends by itself after five seconds.
		Awaitility.await()
			.atMost(Duration.ofSeconds(4))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("redis-lock-callbacks")));
	}

	@Test
	void templateMayBeClosedByALossAction() {
		LockTemplate locks = template(Duration.ZERO);
		LockHandle lock = supply(() -> locks.acquire(JOB)).join();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		lock.onLost(() -> {
			locks.close();
			interrupted.complete(Thread.currentThread().isInterrupted());
		});

		locks.forceRelease(JOB);
		lock.verify();

		assertThat(interrupted).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
	}

	@Test
	void closingThreadDoesNotWaitForItself() {
		LockTemplate locks = template(Duration.ofMinutes(50));
		LockHandle lock = locks.acquire(JOB);

		locks.close();

		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void closeStopsWaitingForAThreadThatEndsWithoutARelease() throws Exception {
		LockTemplate locks = template(Duration.ofMinutes(50));
		CompletableFuture<LockHandle> taken = new CompletableFuture<>();
		CountDownLatch goOn = new CountDownLatch(1);
		Thread holder = new Thread(() -> {
			taken.complete(locks.acquire(JOB));
			try {
				goOn.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		Thread closing = new Thread(locks::close);

		holder.start();
		taken.join();
		closing.start();
		Awaitility.await("waits for the holder").until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		goOn.countDown();

		Awaitility.await("closed").until(() -> !closing.isAlive());
		assertThat(taken.join().isHeld()).isFalse();
	}

	@Test
	void interruptedCloseStopsWaitingButStillReleasesLocks() throws Exception {
		InMemoryLockStore store = new InMemoryLockStore();
		CountingStore counted = new CountingStore(store);
		LockTemplate locks = new LockTemplate(counted, LockConfiguration.defaults().closeWait(Duration.ofMinutes(50)));
		supply(() -> locks.acquire(JOB)).join();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread closing = new Thread(() -> {
			locks.close();
			interrupted.complete(Thread.currentThread().isInterrupted());
		});

		closing.start();
		awaitClosed(locks);
		closing.interrupt();

		assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(store.inspect(JOB).toCompletableFuture().join()).isEmpty();
		assertThat(counted.calls("close")).isEqualTo(1);
	}

	@Test
	void lockWithAPendingRenewalIsReleasedBeforeTheStoreCloses() throws Exception {
		ScriptedStore store = grantingStore();
		store.releaseAtOnce();
		LockTemplate locks = new LockTemplate(store, LockConfiguration.defaults().closeWait(Duration.ZERO));
		LockHandle lock = supply(() -> locks.acquire(JOB, LockOptions.options().timeout(Duration.ofSeconds(3)))).join();
		lock.detach();
		Awaitility.await().until(() -> !store.renews.isEmpty());

		CompletableFuture<?> closing = CompletableFuture.runAsync(locks::close, OwnThread::run);
		Awaitility.await().until(() -> !lock.isHeld());
		store.renews.forEach((question) -> question.reply(true));

		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(store.log).containsSubsequence("release", "close");
	}

	@Test
	void unconfirmedReleaseIsLogged() {
		try (LogRecorder log = LogRecorder.warningsOf(Shutdown.class.getName())) {
			ScriptedStore store = grantingStore();
			LockTemplate locks = withoutPatience(store);
			supply(() -> locks.acquire(JOB)).join().detach();

			locks.close();

			assertThat(store.releases).hasSize(1);
			assertThat(log.text()).contains("Not all requests were confirmed at shutdown (holds: 1)");
		}
	}

	@Test
	void unconfirmedWithdrawalIsLogged() {
		try (LogRecorder log = LogRecorder.warningsOf(Shutdown.class.getName())) {
			ScriptedStore store = new ScriptedStore();
			LockTemplate locks = withoutPatience(store);
			CompletableFuture<LockHandle> waiter = supply(() -> locks.acquire(JOB));
			Awaitility.await().until(() -> !store.acquires.isEmpty());

			locks.close();

			assertThat(waiter).failsWithin(Duration.ofSeconds(10));
			assertThat(log.text()).contains("Not all requests were confirmed at shutdown (holds: 0)");
		}
	}

	@Test
	void requestThatIsJustBeingSentIsWithdrawnBeforeTheStoreCloses() {
		ScriptedStore store = new ScriptedStore();
		CompletableFuture<Void> sent = new CompletableFuture<>();
		store.onAcquire((request) -> {
			sent.join();
			return new CompletableFuture<>();
		});
		LockTemplate locks = new LockTemplate(store, LockConfiguration.defaults().closeWait(Duration.ZERO));
		CompletableFuture<LockHandle> waiter = supply(() -> locks.acquire(JOB));
		Awaitility.await().until(() -> !store.acquires.isEmpty());
		Thread closing = new Thread(locks::close);

		closing.start();
		Awaitility.await("waits, or has closed the store")
			.until(() -> closing.getState() == Thread.State.TIMED_WAITING || store.log.contains("close"));
		sent.complete(null);
		Awaitility.await().until(() -> !store.withdraws.isEmpty());
		store.withdraws.forEach((question) -> question.reply(null));

		Awaitility.await("closed").until(() -> !closing.isAlive());
		assertThat(store.log).containsExactly("acquire", "withdraw", "close");
		assertThat(waiter).failsWithin(Duration.ofSeconds(10));
	}

	@Test
	void lockIsKeptForItsMinimumTime() {
		ScriptedStore store = grantingStore();
		store.releaseAtOnce();
		LockTemplate locks = new LockTemplate(store, LockConfiguration.defaults().closeWait(Duration.ZERO));
		supply(() -> locks.acquire(LockTarget.of("mail"),
				LockOptions.options().timeout(Duration.ofSeconds(5)).atLeastFor(Duration.ofHours(1))))
			.join()
			.detach();

		locks.close();

		assertThat(ScriptedStore.only(store.releases).duration()).isGreaterThan(Duration.ofMinutes(50));
	}

	@Test
	void timerOfTheConfigurationIsNotClosed() {
		ManualLockTimer timer = new ManualLockTimer();
		AtomicInteger runs = new AtomicInteger();
		timer.schedule(runs::incrementAndGet, Duration.ofSeconds(1));

		new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().timer(timer)).close();

		timer.advance(Duration.ofSeconds(1));
		assertThat(runs).hasValue(1);
	}

	@Test
	void threadOfTheOwnTimerEnds() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		LockTemplate locks = template(Duration.ZERO);
		locks.acquire(JOB);

		locks.close();

		Awaitility.await()
			.atMost(Duration.ofSeconds(4))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !before.contains(thread))
				.extracting(Thread::getName)
				.doesNotContain("redis-lock-timer"));
	}

	private static ScriptedStore grantingStore() {
		ScriptedStore store = new ScriptedStore();
		store.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireReply.Granted(1)));
		return store;
	}

	private LockTemplate template(Duration closeWait) {
		return new LockTemplate(new InMemoryLockStore(),
				LockConfiguration.defaults().closeWait(closeWait).listeners(List.of(this.listener)));
	}

	/**
	 * Return a template whose close does not wait for replies.
	 */
	private static LockTemplate withoutPatience(LockStore store) {
		return template(store, Duration.ZERO, System::nanoTime, (done, limit) -> done.isDone());
	}

	private static LockTemplate template(LockStore store, Duration closeWait, LongSupplier nanoTime,
			SystemResources.Waiting waiting) {
		SystemResources system = SystemResources.system();
		LockConfiguration configuration = LockConfiguration.defaults().closeWait(closeWait);
		return new LockTemplate(
				new LockEngine(store, configuration,
						new SystemResources(nanoTime, system.random(), system.secrets(), system.actions(), waiting)),
				configuration, SurroundingTransaction.NONE);
	}

	private <T> CompletableFuture<T> supply(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, this.threads);
	}

	private static void awaitClosed(LockTemplate locks) {
		Awaitility.await().until(() -> {
			try {
				locks.acquire(LockTarget.of("probe")).close();
				return false;
			}
			catch (LockShutdownException ex) {
				return true;
			}
		});
	}

}
