package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.RenewRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The timer gets no processor time, so its tasks run late while clocks continue.
 */
@Tag("promise-2")
class LateTickTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** The store keeps the lock much longer than its holder expects. */
	private static final Duration GRACE = Duration.ofMinutes(10);

	private final ManualLockTimer clock = new ManualLockTimer();

	private final StarvingTimer timer = new StarvingTimer(this.clock);

	private final CountingStore store = new CountingStore(new InMemoryLockStore(this.clock)) {

		@Override
		public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
			LateTickTests.this.clock.advance(LateTickTests.this.timeOfARenewal);
			return super.renew(renewals);
		}

	};

	private Duration timeOfARenewal = Duration.ZERO;

	private final LockTemplate locks = new LockTemplate(this.store,
			LockConfiguration.defaults().timer(this.timer).grace(GRACE));

	private final AtomicInteger losses = new AtomicInteger();

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void leaseThatEndedBeforeTheLateTickIsNotRenewed() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.clock.advance(LEASE);
		assertThat(this.store.calls("renew")).isZero();

		this.timer.catchUp();
		this.clock.advance(LEASE);

		assertThat(this.store.calls("renew")).isZero();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
	}

	@Test
	void holderDetectsTheEndOfItsLeaseWithoutTheTimer() {
		LockHandle lock = acquire();
		this.timer.starve();

		this.clock.advance(LEASE);

		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::renew);
		assertThat(this.store.calls("renew")).isZero();
		assertThat(lock.verify()).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void lossIsReportedOnceWhenTheTimerCatchesUp() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.clock.advance(LEASE);

		this.timer.catchUp();

		Awaitility.await().until(() -> this.losses.get() > 0);
		lock.release();
		this.clock.advance(LEASE);
		assertThat(this.losses).hasValue(1);
	}

	@Test
	void lossDetectedByTheReleaseIsReportedOnce() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.clock.advance(LEASE);

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);

		Awaitility.await().until(() -> this.losses.get() > 0);
		this.timer.catchUp();
		assertThat(this.losses).hasValue(1);
	}

	@Test
	void lossDetectedByAVerificationIsReported() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.clock.advance(LEASE);

		assertThat(lock.verify()).isFalse();

		Awaitility.await().until(() -> this.losses.get() > 0);
	}

	@Test
	void lossDetectedByALateReplyIsReported() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.timeOfARenewal = LEASE;

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::renew);

		Awaitility.await().until(() -> this.losses.get() > 0);
	}

	@Test
	void lossDetectedByTheEndOfAnEntryIsReported() {
		LockHandle outer = acquire();
		LockHandle inner = this.locks.acquire(LockTarget.of("job"));
		this.timer.starve();
		this.clock.advance(LEASE);

		assertThat(inner.release()).isEqualTo(ReleaseOutcome.NOT_HELD);

		Awaitility.await().until(() -> this.losses.get() > 0);
		assertThat(outer.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void endedLeasesStopSchedulingTimerTasks() {
		LockHandle lock = acquire();
		LockHandle other = this.locks.acquire(LockTarget.of("other"),
				LockOptions.options().timeout(LEASE).autoRenew(false));
		lock.release();
		int before = this.timer.scheduled;

		this.clock.advance(LEASE.multipliedBy(100));

		assertThat(other.isHeld()).isFalse();
		assertThat(this.timer.scheduled - before).isLessThan(10);
	}

	@Test
	void lateRenewalWithinTheLeaseIsSentAndSoAreLaterOnes() {
		LockHandle lock = acquire();
		this.timer.starve();
		this.clock.advance(LEASE.multipliedBy(9).dividedBy(10));
		assertThat(lock.isHeld()).isTrue();

		this.timer.catchUp();
		assertThat(this.store.calls("renew")).isEqualTo(1);
		assertThat(lock.remaining()).isGreaterThan(LEASE.multipliedBy(9).dividedBy(10));
		this.clock.advance(LEASE.multipliedBy(3));

		assertThat(lock.isHeld()).isTrue();
		assertThat(this.losses).hasValue(0);
	}

	private LockHandle acquire() {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), LockOptions.options().timeout(LEASE));
		lock.onLost(this.losses::incrementAndGet);
		return lock;
	}

	/**
	 * Runs no tasks while it starves, although time passes.
	 */
	private static final class StarvingTimer implements LockTimer {

		private final ManualLockTimer clock;

		private final List<Runnable> overdue = new ArrayList<>();

		private boolean starving;

		private int scheduled;

		StarvingTimer(ManualLockTimer clock) {
			this.clock = clock;
		}

		void starve() {
			this.starving = true;
		}

		void catchUp() {
			this.starving = false;
			List<Runnable> late = List.copyOf(this.overdue);
			this.overdue.clear();
			late.forEach(Runnable::run);
		}

		@Override
		public long nanoTime() {
			return this.clock.nanoTime();
		}

		@Override
		public Instant now() {
			return this.clock.now();
		}

		@Override
		public Future<?> schedule(Runnable task, Duration delay) {
			this.scheduled++;
			CompletableFuture<Void> future = new CompletableFuture<>();
			this.clock.schedule(() -> runOrKeep(future, task), delay);
			return future;
		}

		@Override
		public void close() {
			this.clock.close();
		}

		private void runOrKeep(Future<?> future, Runnable task) {
			Runnable unlessCancelled = () -> {
				if (!future.isCancelled()) {
					task.run();
				}
			};
			if (this.starving) {
				this.overdue.add(unlessCancelled);
			}
			else {
				unlessCancelled.run();
			}
		}

	}

}
