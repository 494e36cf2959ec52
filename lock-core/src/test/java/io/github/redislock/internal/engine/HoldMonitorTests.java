package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
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
 * A lease of 30 s is renewed after 10 s and valid for 29.698 s.
 */
@Tag("promise-9")
class HoldMonitorTests {

	private static final LockTarget ORDER = LockTarget.of("order:42");

	private static final Duration THIRD = Duration.ofSeconds(10);

	private static final LockOptions LEASE = LockOptions.options().timeout(Duration.ofSeconds(30));

	private final LogRecorder log = LogRecorder.warningsOf(HoldMonitor.class.getName());

	private final ManualLockTimer timer = new ManualLockTimer();

	private final CountingStore store = new CountingStore(new InMemoryLockStore(this.timer));

	private final RecordingListener listener = new RecordingListener();

	private final List<LockTemplate> templates = new ArrayList<>();

	private final LockTemplate locks = template(LockConfiguration.defaults().listeners(List.of(this.listener)));

	@AfterEach
	void close() {
		this.templates.forEach(LockTemplate::close);
		this.log.close();
	}

	@Test
	void lockOfAnEndedThreadIsReportedAndNoLongerRenewed() {
		LockHandle lock = acquireOnAnotherThread();

		this.timer.advance(THIRD);

		assertThat(this.store.calls("renew")).isZero();
		assertThat(isRenewed()).isFalse();
		assertThat(this.log.text()).contains(
				"Lock 'order:42' can no longer be released by its caller because the thread that acquired it has ended"
						+ " without a release: it expires in 19.6s")
			.contains("call detach() first")
			.contains("It was last used by thread 'taker'.");
		this.timer.advance(Duration.ofSeconds(20));
		assertThat(this.listener.events).containsExactly("acquired", "lost");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.extracting(LockLostException::getReason, as(STRING))
			.startsWith("its lease ran out and was not renewed because the thread that acquired it has ended without"
					+ " a release");
	}

	@Test
	void lockUsedByAnotherThreadOutlivesItsAcquiringThread() {
		LockHandle lock = acquireOnAnotherThread();
		assertThat(lock.isHeld()).isTrue();

		this.timer.advance(Duration.ofMinutes(2));

		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void detachedLockOutlivesItsAcquiringThread() {
		AtomicReference<LockHandle> taken = new AtomicReference<>();
		runOnAnotherThread(() -> {
			taken.set(this.locks.acquire(ORDER, LEASE));
			taken.get().detach();
		});

		this.timer.advance(Duration.ofMinutes(2));

		assertThat(taken.get().isHeld()).isTrue();
	}

	@Test
	void listenerReadingTheLockDoesNotBecomeItsUser() {
		AtomicReference<HeldLock> seen = new AtomicReference<>();
		LockTemplate watched = template(LockConfiguration.defaults().listeners(List.of(new LockListener() {
			@Override
			public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
				seen.set(lock);
			}
		})));
		AtomicReference<LockHandle> kept = new AtomicReference<>();
		runOnAnotherThread(() -> kept.set(watched.acquire(ORDER, LEASE)));

		assertThat(seen.get().isHeld()).isTrue();
		this.timer.advance(Duration.ofSeconds(30));

		assertThat(seen.get().isHeld()).isFalse();
		assertThat(kept.get()).isNotNull();
	}

	@Test
	void lockWithADroppedHandleIsReportedAndNoLongerRenewed() {
		this.locks.acquire(ORDER, LEASE);

		Awaitility.await().until(() -> {
			System.gc();
			this.timer.advance(THIRD);
			return this.log.text().contains("handle was garbage collected");
		});
		this.timer.advance(Duration.ofSeconds(30));

		assertThat(this.log.text()).contains(
				"Lock 'order:42' can no longer be released by its caller because its handle was garbage collected");
		assertThat(this.locks.isLocked(ORDER)).isFalse();
		assertThat(this.listener.events).endsWith("lost");
	}

	@Test
	void lockInsideExecuteIsNeverReportedAsDropped() {
		this.locks.execute(ORDER, LEASE, () -> {
			for (int i = 0; i < 10; i++) {
				System.gc();
				this.timer.advance(THIRD);
			}
			assertThat(LockContext.current().isHeld()).isTrue();
			return null;
		});

		assertThat(this.log.text()).doesNotContain("garbage collected");
	}

	@Test
	void lockIsHeldNoLongerThanItsMaximumHold() {
		LockHandle lock = this.locks.acquire(ORDER, LEASE.maxHold(Duration.ofMinutes(2)));
		CompletableFuture<Duration> lostAfter = new CompletableFuture<>();
		long begun = this.timer.nanoTime();
		lock.onLost(() -> lostAfter.complete(Duration.ofNanos(this.timer.nanoTime() - begun)));

		assertThat(isRenewed()).isTrue();
		this.timer.advance(Duration.ofMillis(119_000));
		assertThat(lock.isHeld()).isTrue();
		assertThat(isRenewed()).isFalse();
		this.timer.advance(Duration.ofSeconds(1));

		assertThat(lock.isHeld()).isFalse();
		assertThat(lostAfter).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.store.calls("renew")).isLessThan(30);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.extracting(LockLostException::getReason, as(STRING))
			.contains("because it may be held for at most 2m");
	}

	@Test
	void leaseIsNeverLongerThanTheMaximumHold() {
		LockHandle lock = this.locks.acquire(ORDER, LEASE.maxHold(Duration.ofSeconds(5)));

		assertThat(lock.remaining()).isLessThan(Duration.ofSeconds(5));
		this.timer.advance(Duration.ofSeconds(5));
		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void lockWhoseLeaseWasShortenedIsRenewedUntilItsMaximumHold() {
		LockHandle lock = this.locks.acquire(ORDER, LEASE.maxHold(Duration.ofSeconds(30)));
		assertThat(isRenewed()).isFalse();

		lock.renew(Duration.ofSeconds(9));

		this.timer.advance(Duration.ofSeconds(29));
		assertThat(lock.isHeld()).isTrue();
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void maximumHoldIsCountedForEachHoldSeparately() {
		LockOptions options = LEASE.maxHold(Duration.ofMinutes(1)).reentrant(false);
		this.locks.acquire(ORDER, options).close();
		this.timer.advance(Duration.ofSeconds(50));

		LockHandle next = this.locks.acquire(ORDER, options);
		this.timer.advance(Duration.ofSeconds(50));

		assertThat(next.isHeld()).isTrue();
	}

	@Test
	void lockPassedOnFromAnAbandonedHoldIsRenewedAgain() {
		LockOptions patient = LEASE.waitTime(Duration.ofHours(1)).reentrant(false);
		LockTemplate passing = template(LockConfiguration.defaults().slice(Duration.ofHours(1)));
		AtomicReference<LockHandle> neglected = new AtomicReference<>();
		runOnAnotherThread(() -> neglected.set(passing.acquire(ORDER, patient)));
		CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> passing.acquire(ORDER, patient),
				OwnThread::run);
		Awaitility.await().until(() -> passing.waiting() == 1);
		this.timer.advance(THIRD);

		neglected.get().release();
		LockHandle next = waiting.join();
		next.detach();
		this.timer.advance(Duration.ofMinutes(2));

		assertThat(next.isHeld()).isTrue();
	}

	@Test
	void longHoldIsReportedOnceWithTheStackOfItsThread() {
		LockHandle lock = this.locks.acquire(ORDER, LEASE);

		this.timer.advance(Duration.ofSeconds(59));
		assertThat(this.log.text()).doesNotContain("has been held");
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.log.text()).contains("Lock 'order:42' has been held for 1m: check whether its work is stuck")
			.contains("It is held by thread '%s', which is\n\tat ".formatted(Thread.currentThread().getName()));
		this.timer.advance(Duration.ofMinutes(10));

		assertThat(this.log.text().split("has been held", -1)).hasSize(2);
		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void longHoldWithoutRenewalOrExpiryIsReported() {
		this.timer.advance(Duration.ofHours(1));
		LockHandle lock = this.locks.acquire(ORDER, LockOptions.options().neverExpires());
		LockHandle other = this.locks.acquire(LockTarget.of("order:43"),
				LockOptions.options().timeout(Duration.ofMinutes(5)).autoRenew(false));

		this.timer.advance(Duration.ofMinutes(2));

		assertThat(this.log.text()).contains("'order:42' has been held", "'order:43' has been held")
			.doesNotContain("has ended");
		assertThat(lock.isHeld()).isTrue();
		assertThat(other.isHeld()).isTrue();
	}

	@Test
	void longHoldInsideExecuteIsReportedWithTheCurrentStackTrace() throws Exception {
		CompletableFuture<String> working = new CompletableFuture<>();
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> holder = CompletableFuture
			.runAsync(() -> this.locks.execute(ORDER, LEASE, () -> workUntil(end, working)), OwnThread::run);
		String thread = working.get(10, TimeUnit.SECONDS);

		this.timer.advance(Duration.ofMinutes(1));

		assertThat(this.log.text()).contains("It is held by thread '" + thread + "', which is").contains("workUntil");
		end.countDown();
		holder.get(10, TimeUnit.SECONDS);
	}

	private static void workUntil(CountDownLatch end, CompletableFuture<String> working) {
		working.complete(Thread.currentThread().getName());
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void longHoldIsNotReportedIfDisabled() {
		LockTemplate quiet = template(LockConfiguration.defaults().warnAfter(Duration.ZERO));
		LockHandle lock = quiet.acquire(ORDER, LEASE);

		this.timer.advance(Duration.ofHours(1));

		assertThat(this.log.text()).doesNotContain("has been held");
		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void longHoldIsReportedAfterItsOwnThreshold() {
		LockHandle lasting = this.locks.acquire(LockTarget.of("leader"), LEASE.warnAfter(Duration.ZERO));
		LockHandle nightly = this.locks.acquire(LockTarget.of("nightly"), LEASE.warnAfter(Duration.ofHours(2)));

		this.timer.advance(Duration.ofHours(1));
		assertThat(this.log.text()).doesNotContain("has been held");

		this.timer.advance(Duration.ofHours(1));
		assertThat(this.log.text()).contains("'nightly' has been held for 2h").doesNotContain("leader");
		lasting.release();
		nightly.release();
	}

	@Test
	void threadThatDetachedALockDoesNotReenterIt() {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"));
		lock.detach();
		assertThat(CompletableFuture.supplyAsync(lock::isHeld, OwnThread::run)).succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo(true);

		// The pooled thread serves the next request for the same job.
		assertThat(this.locks.tryAcquire(LockTarget.of("job"))).isNull();
	}

	@Test
	void threadThatDetachedOneOfItsHandlesDoesNotReenterTheLockThroughAnother() {
		LockHandle outer = this.locks.acquire(LockTarget.of("job"));
		LockHandle inner = this.locks.acquire(LockTarget.of("job"));

		inner.detach();

		assertThat(this.locks.tryAcquire(LockTarget.of("job"))).isNull();
		assertThat(outer.isHeld()).isTrue();
	}

	@Test
	void endOfAThreadHoldingANonExpiringLockIsReported() {
		AtomicReference<LockHandle> kept = new AtomicReference<>();
		runOnAnotherThread(() -> kept.set(this.locks.acquire(ORDER, LockOptions.options().neverExpires())));

		this.timer.advance(Duration.ofMinutes(1));

		assertThat(this.log.text()).contains("the thread that acquired it has ended")
			.contains("it never expires, so release it by force");
		assertThat(kept.get()).isNotNull();
	}

	private LockTemplate template(LockConfiguration configuration) {
		LockTemplate created = new LockTemplate(this.store, configuration.timer(this.timer).closeWait(Duration.ZERO));
		this.templates.add(created);
		return created;
	}

	private boolean isRenewed() {
		return this.locks.local().held().get(0).renewed();
	}

	private LockHandle acquireOnAnotherThread() {
		AtomicReference<LockHandle> taken = new AtomicReference<>();
		runOnAnotherThread(() -> taken.set(this.locks.acquire(ORDER, LEASE)));
		return taken.get();
	}

	private static void runOnAnotherThread(Runnable task) {
		Thread thread = new Thread(task, "taker");
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
