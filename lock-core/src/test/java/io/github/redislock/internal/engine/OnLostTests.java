package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

@Tag("promise-2")
class OnLostTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockOptions THROW = LockOptions.options().timeout(LEASE).autoRenew(false);

	private static final LockOptions INTERRUPT = THROW.onLost(OnLost.INTERRUPT);

	private static final String LOST_BEFORE_RELEASE = "its lease ran out and no renewal was confirmed in time;"
			+ " thrown at the release, so the work may have taken effect";

	private final ManualLockTimer timer = new ManualLockTimer();

	private volatile @Nullable LockHandle held;

	private final RecordingListener listener = new RecordingListener();

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
			LockConfiguration.defaults().timer(this.timer).listeners(List.of(this.listener)));

	@AfterEach
	void close() {
		this.locks.close();
		assertThat(Thread.interrupted()).as("interrupt flag after the test").isFalse();
	}

	@Test
	void lossIsThrownAtTheEndOfTheWork() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, THROW, this::lose))
			.extracting(LockLostException::getReason)
			.isEqualTo(LOST_BEFORE_RELEASE);
	}

	@Test
	void lossOnCloseReportsThatTheWorkMayHaveTakenEffect() {
		LockHandle lock = this.locks.acquire(JOB, THROW);
		lose();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.extracting(LockLostException::getReason)
			.isEqualTo(LOST_BEFORE_RELEASE);
	}

	@Test
	void lossInsideTheWorkDoesNotMentionARelease() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, THROW, () -> {
			lose();
			LockContext.requireHeld();
		}))
			.satisfies((lost) -> assertThat(lost.getReason())
				.isEqualTo("its lease ran out and no renewal was confirmed in time"));
	}

	@Test
	void blockedWorkIsInterruptedByALoss() {
		CountDownLatch never = new CountDownLatch(1);

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			lose();
			never.await();
		})).satisfies((lost) -> {
			assertThat(lost.getReason()).endsWith("; thrown at the release, so the work may have taken effect before it"
					+ " failed with the suppressed exception");
			assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class);
		});
	}

	@Test
	void interruptUnnoticedByTheWorkIsCleared() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			lose();
			awaitFlag();
		}));

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptFlagRestoredByTheWorkIsCleared() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			lose();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		})).satisfies((lost) -> assertThat(lost.getSuppressed()).isEmpty());

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void unrelatedInterruptBeforeTheLossIsKept() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			Thread.currentThread().interrupt();
			lose();
			awaitTold();
		}));

		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void unrelatedInterruptWithoutALossIsKept() {
		this.locks.execute(JOB, INTERRUPT, () -> Thread.currentThread().interrupt());

		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void lossOfNestedLocksInterruptsTheInnerAndThenTheOuterWork() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.locks.execute(LockTarget.of("outer"), INTERRUPT, () -> {
				Throwable inner = catchThrowable(() -> this.locks.execute(LockTarget.of("inner"), INTERRUPT, () -> {
					lose();
					awaitTold();
					assertThat(Thread.interrupted()).isTrue();
				}));
				assertThat(inner).isInstanceOf(LockLostException.class);
				new CountDownLatch(1).await();
			}))
			.satisfies((lost) -> {
				assertThat(lost.getLockName()).isEqualTo("outer");
				assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class);
			});
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void lossOfAReenteredLockInterruptsInnerAndOuterWork() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			assertThat(catchThrowable(() -> this.locks.execute(JOB, INTERRUPT, () -> {
				lose();
				assertThat(Thread.interrupted()).isTrue();
			}))).isInstanceOf(LockLostException.class);
			new CountDownLatch(1).await();
		})).satisfies((lost) -> assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class));

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void lossOfTheInnerLockDoesNotAffectTheOuterWork() {
		this.locks.execute(LockTarget.of("outer"), LockOptions.options().onLost(OnLost.INTERRUPT), () -> {
			assertThat(catchThrowable(() -> this.locks.execute(LockTarget.of("inner"), INTERRUPT, () -> {
				lose();
				awaitFlag();
			}))).isInstanceOf(LockLostException.class);

			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void interruptDoesNotWaitForASlowLossAction() {
		CountDownLatch end = new CountDownLatch(1);
		this.locks.acquire(LockTarget.of("slow"), THROW).onLost(() -> await(end));
		AtomicBoolean interrupted = new AtomicBoolean();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, INTERRUPT, () -> {
			lose();
			// The loss is known by now, because the interrupt comes from this thread.
			interrupted.set(Thread.currentThread().isInterrupted());
		}));

		assertThat(interrupted).isTrue();
		end.countDown();
	}

	@Test
	void cancellationDoesNotWaitForASlowLossAction() {
		CountDownLatch end = new CountDownLatch(1);
		this.locks.acquire(LockTarget.of("slow"), THROW).onLost(() -> await(end));
		CompletableFuture<Void> work = new CompletableFuture<>();
		CompletableFuture<Void> inside = new CompletableFuture<>();
		CompletableFuture<Void> result = this.locks.async().execute(JOB, INTERRUPT, () -> {
			inside.complete(null);
			return work;
		});
		inside.join();

		lose();

		assertThat(result).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
		assertThat(work).isCancelled();
		end.countDown();
	}

	@Test
	void slowDependentsOfCancelledWorkDoNotDelayOtherLossReports() {
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> inside = new CompletableFuture<>();
		this.locks.async().execute(JOB, INTERRUPT, () -> {
			CompletableFuture<Void> work = new CompletableFuture<>();
			work.whenComplete((nothing, failure) -> await(end));
			inside.complete(null);
			return work;
		});
		inside.join();
		AtomicInteger told = new AtomicInteger();
		this.locks.acquire(LockTarget.of("other"), THROW).onLost(told::incrementAndGet);

		lose();

		Awaitility.await().until(() -> told.get() == 1);
		end.countDown();
	}

	@Test
	void lossActionsDoNotWaitForEachOther() throws InterruptedException {
		int count = 100;
		CountDownLatch begun = new CountDownLatch(count);
		for (int i = 0; i < count; i++) {
			this.locks.acquire(LockTarget.of("job:" + i), THROW).onLost(() -> {
				begun.countDown();
				await(begun);
			});
		}

		lose();

		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void allLossActionsRunEvenIfThereAreMoreThanThreads() {
		int count = CallbackThreads.MOST_THREADS + 50;
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < count; i++) {
			this.locks.acquire(LockTarget.of("job:" + i), THROW).onLost(() -> {
				await(end);
				told.incrementAndGet();
			});
		}

		lose();
		end.countDown();

		Awaitility.await().untilAsserted(() -> assertThat(told).hasValue(count));
	}

	@Test
	void allHoldersAreNotifiedBeforeTheFirstLossIsReported() {
		CountDownLatch told = new CountDownLatch(3);
		List<Boolean> inTime = new ArrayList<>();
		try (LockTemplate observed = observedBy((lost) -> inTime.add(await(told)))) {
			for (int i = 0; i < 3; i++) {
				observed.acquire(LockTarget.of("job:" + i), THROW).onLost(told::countDown);
			}

			lose();
		}

		assertThat(inTime).containsExactly(true, true, true);
	}

	@Test
	void renewalsDoNotWaitForTheReportOfASimultaneousLoss() {
		CountingStore store = new CountingStore(new InMemoryLockStore(this.timer));
		List<Integer> renewals = new ArrayList<>();
		LockConfiguration configuration = LockConfiguration.defaults()
			.timer(this.timer)
			.listeners(List.of(onLoss((lost) -> renewals.add(store.calls("renew")))));
		try (LockTemplate observed = new LockTemplate(store, configuration)) {
			observed.acquire(LockTarget.of("lost"), THROW);
			observed.acquire(LockTarget.of("renewed"), LockOptions.options().timeout(LEASE.multipliedBy(3)));

			lose();
		}

		assertThat(renewals).first().isEqualTo(1);
	}

	@Test
	void lossIsReportedBeforeTheReleaseThatFollowsIt() {
		Queue<LockHandle> others = new ArrayDeque<>();
		try (LockTemplate observed = observedBy((lost) -> {
			LockHandle other = others.poll();
			if (other != null) {
				other.release();
			}
		})) {
			observed.acquire(LockTarget.of("first"), THROW);
			others.add(observed.acquire(LockTarget.of("second"), THROW));

			lose();
		}

		assertThat(this.listener.events).containsExactly("acquired", "acquired", "lost", "lost", "released NOT_HELD");
	}

	@Test
	void interruptIsNeverLateInTenThousandRaces() throws Exception {
		ExecutorService thief = Executors.newSingleThreadExecutor();
		AtomicInteger interrupted = new AtomicInteger();
		LockOptions options = LockOptions.options().waitTime(Duration.ofMinutes(1)).onLost(OnLost.INTERRUPT);
		int noticed = 0;
		try (LockTemplate real = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			for (int race = 0; race < 10_000; race++) {
				boolean late = race % 2 == 0;
				CountDownLatch inside = new CountDownLatch(1);
				CountDownLatch over = new CountDownLatch(1);
				int spins = race % 200;
				thief.execute(() -> {
					awaitUninterruptibly(inside);
					real.forceRelease(JOB);
					Objects.requireNonNull(this.held).verify();
					over.countDown();
				});
				Throwable outcome = catchThrowable(() -> real.execute(JOB, options, () -> {
					this.held = LockContext.current();
					inside.countDown();
					for (int i = 0; i < spins; i++) {
						Thread.onSpinWait();
					}
					if (late) {
						awaitUninterruptibly(over);
					}
					interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
				}));
				// Whatever the outcome, the interrupt flag is the same as before.
				assertThat(Thread.currentThread().isInterrupted()).as("flag after race %d", race).isFalse();
				awaitUninterruptibly(over);
				assertThat(Thread.currentThread().isInterrupted()).as("late interrupt of race %d", race).isFalse();
				noticed += (outcome instanceof LockLostException) ? 1 : 0;
			}
		}
		finally {
			thief.shutdown();
			assertThat(thief.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		}

		assertThat(noticed).isGreaterThanOrEqualTo(5_000);
		assertThat(interrupted.get()).as("interrupts in time").isPositive();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	private LockTemplate observedBy(Consumer<HeldLock> onLoss) {
		return new LockTemplate(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(this.timer).listeners(List.of(this.listener, onLoss(onLoss))));
	}

	private static LockListener onLoss(Consumer<HeldLock> action) {
		return new LockListener() {

			@Override
			public void lost(HeldLock lock, LockLostException loss) {
				action.accept(lock);
			}

		};
	}

	private void lose() {
		this.timer.advance(LEASE);
	}

	private static void awaitFlag() {
		while (!Thread.currentThread().isInterrupted()) {
			Thread.yield();
		}
	}

	/**
	 * Wait until an action of the loss has run.
	 */
	private static void awaitTold() {
		CountDownLatch told = new CountDownLatch(1);
		LockContext.current().onLost(told::countDown);
		awaitUninterruptibly(told);
	}

	private static boolean await(CountDownLatch latch) {
		try {
			return latch.await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			Thread.yield();
		}
	}

}
