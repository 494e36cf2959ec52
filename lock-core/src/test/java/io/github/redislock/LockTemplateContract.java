package io.github.redislock;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What callers are promised, whatever the store: with real time.
 */
public abstract class LockTemplateContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final LockOptions PATIENT = LockOptions.defaults().waitTime(MINUTE);

	private final String name = "contract:" + UUID.randomUUID();

	private final List<LockTemplate> templates = new ArrayList<>();

	/**
	 * A new thread each time: a pooled one might hold a lock already and enter it again.
	 */
	private final Executor threads = (task) -> daemon(task).start();

	private final RecordingListener listener = new RecordingListener();

	private CountingStore store;

	private LockTemplate locks;

	/**
	 * Return a store; all stores of one test share their locks.
	 */
	protected abstract LockStore createStore();

	@BeforeEach
	void openTemplate() {
		this.store = new CountingStore(createStore());
		this.locks = new LockTemplate(this.store,
				LockConfiguration.defaults().instance("this-one").listeners(List.of(this.listener)));
		this.templates.add(this.locks);
	}

	@AfterEach
	void closeTemplates() {
		// The interrupt flag of a test must not reach the next.
		Thread.interrupted();
		this.templates.forEach(LockTemplate::close);
	}

	// Work under a lock

	@Test
	void workRunsUnderTheLockAndItsResultIsAnswered() {
		String result = this.locks.execute(this.name, () -> {
			assertThat(this.locks.isLocked(this.name)).isTrue();
			return "done";
		});

		assertThat(result).isEqualTo("done");
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void workMayAnswerNull() {
		String result = this.locks.<@Nullable String, RuntimeException>execute(this.name, () -> null);

		assertThat(result).isNull();
	}

	@Test
	void workWithoutAResultRuns() {
		AtomicInteger runs = new AtomicInteger();

		this.locks.execute(this.name, () -> {
			runs.incrementAndGet();
		});
		this.locks.execute(this.name, LockOptions.timeout(MINUTE), () -> {
			runs.incrementAndGet();
		});

		assertThat(runs).hasValue(2);
	}

	@Test
	void checkedExceptionOfTheWorkPassesUntouched() {
		IOException failure = new IOException("disk full");

		// Compiles without "throws Exception": the type comes through.
		IOException thrown = catchThrowableOfType(IOException.class, () -> failingWith(failure));

		assertThat(thrown).isSameAs(failure).hasNoSuppressedExceptions();
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void lossIsReportedAfterWorkThatEndedWell() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(this.name, this::loseIt))
			.withMessageStartingWith("Lock '%s' was lost: ", this.name)
			.satisfies((lost) -> assertThat(lost.getLockName()).isEqualTo(this.name));
	}

	@Test
	void lossIsSuppressedInTheFailureOfTheWork() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.execute(this.name, () -> {
			loseIt();
			throw new IllegalStateException("work");
		}))
			.withMessage("work")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(LockLostException.class));
	}

	@Test
	void workDoesNotRunWithoutTheLock() {
		hold(this.name);
		AtomicInteger runs = new AtomicInteger();

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.execute(this.name, LockOptions.defaults().retry(0), () -> {
				runs.incrementAndGet();
			}));

		assertThat(runs).hasValue(0);
	}

	// Asking for a lock

	@Test
	void busyLockTellsWhoHoldsItSinceWhenAndForHowLong() {
		LockTemplate other = template("the-other");
		try (LockHandle lock = other.acquire(this.name, LockOptions.timeout(MINUTE))) {

			LockNotAcquiredException refused = catchThrowableOfType(LockNotAcquiredException.class,
					() -> this.locks.acquire(this.name, LockOptions.defaults().retry(0)));

			assertThat(refused).isNotNull();
			assertThat(refused.getLockName()).isEqualTo(this.name);
			assertThat(refused.getMessage()).startsWith("Lock '%s' not acquired".formatted(this.name))
				.contains(": held by the-other since ")
				.contains(", free in at most 1m ")
				.doesNotContain(lock.owner());
			LockState holder = refused.getHolder();
			assertThat(holder).isNotNull();
			assertThat(holder.holder()).isEqualTo("the-other");
			assertThat(holder.since()).isNotNull();
			assertThat(holder.remaining()).isBetween(MINUTE, MINUTE.plusSeconds(3));
			assertThat(holder.fencingToken()).isEqualTo(lock.fencingToken());
		}
	}

	@Test
	void lockOfAClientOfAnotherKindIsAnotherClients() {
		LockTemplate other = template("the-other");
		try (LockHandle lock = other.acquire(this.name, LockOptions.defaults().owner("3f2a77"))) {
			assertThat(lock.owner()).isEqualTo("3f2a77");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(this.name, LockOptions.defaults().retry(0)))
				.withMessageContaining("held by another client");
		}
	}

	@Test
	void tryAcquireAnswersNullWhenBusyAndNeverWaits() {
		hold(this.name);
		this.store.reset();

		assertThat(this.locks.tryAcquire(this.name)).isNull();

		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void tryAcquireAnswersTheLockWhenFree() {
		try (LockHandle lock = this.locks.tryAcquire(this.name)) {
			assertThat(lock).isNotNull();
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.name()).isEqualTo(this.name);
		}
	}

	@Test
	void waitsRetryTimesRetryDelay() {
		template("the-other").acquire(this.name, PATIENT.withTimeout(MINUTE));
		LockOptions options = LockOptions.defaults().retry(3).retryDelay(Duration.ofMillis(100));
		this.store.reset();
		long begin = System.nanoTime();

		assertThat(this.locks.tryAcquire(this.name, options)).isNull();

		assertThat(since(begin)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(20));
		assertThat(this.store.calls("acquire")).isBetween(1, 6);
	}

	@Test
	void waitTimeWinsOverRetry() {
		hold(this.name);
		LockOptions options = LockOptions.defaults().retry(1_000).waitTime(Duration.ofMillis(200));
		long begin = System.nanoTime();

		LockNotAcquiredException refused = catchThrowableOfType(LockNotAcquiredException.class,
				() -> this.locks.acquire(this.name, options));

		assertThat(since(begin)).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20));
		assertThat(refused.getWaited()).isBetween(Duration.ofMillis(200), Duration.ofSeconds(20));
		assertThat(refused).hasMessageContaining("not acquired within 200ms");
	}

	@Test
	void retryOfTheCallerWinsOverADefaultWaitTime() {
		hold(this.name);
		LockTemplate patient = template(LockConfiguration.defaults().options(LockOptions.defaults().waitTime(MINUTE)));
		long begin = System.nanoTime();

		assertThat(patient.tryAcquire(this.name, LockOptions.defaults().retry(0))).isNull();
		assertThat(patient.tryAcquire(this.name)).isNull();

		assertThat(since(begin)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void waiterGetsTheLockAtOnceWhenAThreadOfItsProcessLetsItGo() throws Exception {
		LockHandle held = hold(this.name);
		// Far longer than this test: only the release can wake it.
		CompletableFuture<LockHandle> waiter = acquireElsewhere(PATIENT.retryDelay(Duration.ofSeconds(30)));
		await().until(() -> this.locks.waiting() == 1);
		long begin = System.nanoTime();

		held.release();

		assertThat(waiter.get().isHeld()).isTrue();
		assertThat(since(begin)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void waiterOfAnotherTemplateGetsTheLockWithinItsRetryDelay() {
		LockHandle held = hold(this.name);
		LockTemplate other = template("the-other");
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> other.acquire(this.name, PATIENT.retryDelay(Duration.ofMillis(20))), this.threads);

		held.release();

		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void waitersOfAProcessAreServedInTheirOrder() throws Exception {
		LockHandle held = hold(this.name);
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Void>> waiters = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			Thread waiter = daemon(
					() -> this.locks.execute(this.name, PATIENT.retryDelay(Duration.ofSeconds(10)), () -> {
						served.add(number);
					}));
			waiters.add(run(waiter));
			// It stands in the queue once it counts and sleeps.
			await().until(() -> this.locks.waiting() == number + 1 && waiter.getState() == Thread.State.WAITING);
		}

		held.release();
		CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).get();

		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
	}

	@Test
	void waitersThatGiveUpLeaveTheQueueAndTheRestIsServed() throws Exception {
		LockHandle held = hold(this.name);
		List<CompletableFuture<LockHandle>> impatient = IntStream.range(0, 5)
			.mapToObj((i) -> CompletableFuture.supplyAsync(
					() -> this.locks.tryAcquire(this.name, PATIENT.waitTime(Duration.ofMillis(50 + 10 * i))),
					this.threads))
			.toList();
		CompletableFuture<LockHandle> patient = acquireElsewhere(PATIENT.retryDelay(Duration.ofSeconds(10)));

		impatient.forEach((waiter) -> assertThat(waiter.join()).isNull());
		held.release();

		assertThat(patient.get().isHeld()).isTrue();
	}

	@Test
	void interruptedHeadLeavesTheQueueAndTheNextIsServed() throws Exception {
		LockHandle held = hold(this.name);
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread head = daemon(() -> {
			try {
				this.locks.acquire(this.name, PATIENT.retryDelay(Duration.ofSeconds(10)));
			}
			catch (LockInterruptedException ex) {
				failure.set(ex);
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}
		});
		CompletableFuture<Void> ended = run(head);
		await().until(() -> this.locks.waiting() == 1 && head.getState() == Thread.State.WAITING);
		CompletableFuture<LockHandle> next = acquireElsewhere(PATIENT.retryDelay(Duration.ofSeconds(10)));

		head.interrupt();
		ended.get();
		assertThat(failure.get()).hasMessage("Lock '%s' not acquired: the thread was interrupted".formatted(this.name));
		held.release();

		assertThat(next.get().isHeld()).isTrue();
	}

	@Test
	void interruptedThreadDoesNotEvenAsk() {
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.locks.acquire(this.name));
		assertThat(Thread.interrupted()).isTrue();

		assertThat(this.store.calls("acquire")).isZero();
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void manyWaitersAreAllServed() {
		LockHandle held = hold(this.name);
		AtomicInteger served = new AtomicInteger();
		LockOptions options = PATIENT.retryDelay(Duration.ofSeconds(10));
		List<CompletableFuture<Void>> waiters = IntStream.range(0, 500)
			.mapToObj((i) -> CompletableFuture.runAsync(
					() -> this.locks.execute(this.name, options, () -> served.set(served.get() + 1)), this.threads))
			.toList();

		held.release();
		CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).join();

		assertThat(served).hasValue(500);
	}

	// Entering again

	@Test
	void threadEntersItsOwnLockAgainWithoutTheStore() {
		try (LockHandle outer = this.locks.acquire(this.name)) {
			this.store.reset();

			try (LockHandle inner = this.locks.acquire(this.name, LockOptions.defaults().retry(0))) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
				assertThat(inner.owner()).isEqualTo(outer.owner());
			}
			assertThat(this.locks.tryAcquire(this.name)).satisfies((inner) -> inner.close());

			assertThat(this.store.calls()).isZero();
			assertThat(outer.isHeld()).isTrue();
		}
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void lockIsLetGoAtTheLastExitInWhateverOrder() {
		LockHandle first = this.locks.acquire(this.name);
		LockHandle second = this.locks.acquire(this.name);
		LockHandle third = this.locks.acquire(this.name);

		assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(first.isHeld()).isFalse();
		assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.isHeld()).isTrue();
		assertThat(this.locks.isLocked(this.name)).isTrue();

		assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void anotherOwnerTokenDoesNotEnterAgain() {
		try (LockHandle lock = this.locks.acquire(this.name)) {
			assertThat(this.locks.tryAcquire(this.name, LockOptions.defaults().owner("job-17").retry(0))).isNull();
			assertThat(this.locks.tryAcquire(this.name, LockOptions.defaults().owner(lock.owner()).retry(0)))
				.satisfies((inner) -> inner.close());
		}
	}

	@Test
	void nonReentrantCallerWaitsForItself() {
		try (LockHandle lock = this.locks.acquire(this.name)) {
			assertThat(this.locks.tryAcquire(this.name, LockOptions.defaults().reentrant(false).retry(0))).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
		try (LockHandle lock = this.locks.acquire(this.name, LockOptions.defaults().reentrant(false))) {
			assertThat(this.locks.tryAcquire(this.name)).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void lostLockIsAcquiredAnewInsteadOfEntered() {
		LockHandle lost = this.locks.acquire(this.name);
		loseIt();
		assertThat(lost.verify()).isFalse();

		try (LockHandle anew = this.locks.acquire(this.name)) {
			assertThat(anew.isHeld()).isTrue();
			assertThat(anew.owner()).isNotEqualTo(lost.owner());
			assertThat(lost.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
			assertThat(anew.verify()).isTrue();
		}
	}

	@Test
	void lockThatItsThreadLetRunOutIsAcquiredAnew() {
		this.locks.acquire(this.name, PATIENT.withTimeout(Duration.ofMillis(50)).autoRenew(false));

		Awaitility.await().until(() -> !this.locks.isLocked(this.name));

		this.locks.acquire(this.name, LockOptions.defaults().retry(0)).close();
	}

	@Test
	void anotherThreadDoesNotEnter() {
		try (LockHandle lock = this.locks.acquire(this.name)) {
			LockHandle other = CompletableFuture.supplyAsync(() -> this.locks.tryAcquire(this.name), this.threads)
				.join();
			assertThat(other).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void anotherTemplateDoesNotEnter() {
		LockTemplate other = template("the-other");

		try (LockHandle lock = this.locks.acquire(this.name)) {
			assertThat(other.tryAcquire(this.name)).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	// The handle

	@Test
	void handleMayBeUsedFromAnotherThread() {
		LockHandle lock = this.locks.acquire(this.name);

		ReleaseOutcome outcome = CompletableFuture.supplyAsync(() -> {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.verify()).isTrue();
			lock.renew(MINUTE);
			return lock.release();
		}, this.threads).join();

		assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(lock.isHeld()).isFalse();
		this.locks.acquire(this.name).close();
	}

	@Test
	void releasingTwiceIsHarmlessAndAnswersTheSame() {
		LockHandle lock = this.locks.acquire(this.name);
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		LockHandle next = hold(this.name);

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		lock.close();

		assertThat(next.verify()).isTrue();
	}

	@Test
	void releaseAfterTheLeaseRanOutReportsTheLoss() {
		LockHandle lock = this.locks.acquire(this.name, PATIENT.withTimeout(Duration.ofMillis(100)).autoRenew(false));
		await().until(() -> !lock.isHeld());

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.withMessageContaining("its lease ran out and no renewal was confirmed");
	}

	@Test
	void interruptDoesNotStopARelease() {
		LockHandle lock = this.locks.acquire(this.name);
		Thread.currentThread().interrupt();

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void renewedLockOutlivesItsLease() {
		try (LockHandle lock = this.locks.acquire(this.name, LockOptions.timeout(Duration.ofSeconds(3)))) {
			await().during(Duration.ofMillis(3_300)).until(lock::isHeld);
			assertThat(lock.verify()).isTrue();
		}
		assertThat(this.listener.events).contains("renewed").doesNotContain("lost");
	}

	@Test
	void fencingTokensGrow() {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			try (LockHandle lock = this.locks.acquire(this.name)) {
				assertThat(lock.fencingToken()).isGreaterThan(last);
				last = lock.fencingToken();
			}
		}
	}

	@Test
	void extensionAddsToTheLease() {
		try (LockHandle lock = this.locks.acquire(this.name, LockOptions.timeout(MINUTE))) {
			lock.extend(MINUTE);

			assertThat(lock.remaining()).isBetween(Duration.ofSeconds(113), Duration.ofSeconds(119));
			assertThat(stored()).isBetween(Duration.ofSeconds(115), Duration.ofSeconds(127));
		}
	}

	@Test
	void renewalReplacesTheLease() {
		try (LockHandle lock = this.locks.acquire(this.name, LockOptions.timeout(MINUTE))) {
			lock.renew(MINUTE.multipliedBy(2));
			assertThat(lock.remaining()).isBetween(Duration.ofSeconds(113), Duration.ofSeconds(119));

			lock.renew(Duration.ofSeconds(20));
			assertThat(lock.remaining()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
			assertThat(stored()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(21));

			lock.renew();
			assertThat(lock.remaining()).isBetween(Duration.ofSeconds(55), MINUTE);
		}
	}

	@Test
	void changesOfAReleasedLockAreRefused() {
		LockHandle lock = this.locks.acquire(this.name);
		lock.release();

		assertThatIllegalStateException().isThrownBy(() -> lock.extend(MINUTE))
			.withMessage("Lock '%s' was released: acquire it again", this.name);
		assertThatIllegalStateException().isThrownBy(() -> lock.renew(MINUTE));
		assertThatIllegalStateException().isThrownBy(lock::renew);
		assertThat(lock.verify()).isFalse();
		assertThat(lock.remaining()).isZero();
	}

	@Test
	void lockThatNeverExpiresStaysClosed() {
		LockTemplate other = template("the-other");
		try (LockHandle lock = this.locks.acquire(this.name, LockOptions.defaults().neverExpires())) {
			assertThat(lock.remaining()).isEqualTo(ChronoUnit.FOREVER.getDuration());
			assertThat(this.locks.inspect(this.name).orElseThrow().remaining()).isNull();
			assertThatIllegalStateException().isThrownBy(() -> lock.extend(MINUTE));
			assertThatIllegalStateException().isThrownBy(lock::renew);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> other.acquire(this.name, LockOptions.defaults().retry(0)))
				.withMessageEndingWith(", with no expiry");
			assertThat(this.store.calls("renew")).isZero();
		}
		assertThat(this.locks.isLocked(this.name)).isFalse();
	}

	@Test
	void lockIsResumedByWhoeverKnowsItsOwnerToken() {
		LockOptions job = LockOptions.timeout(MINUTE).owner("job-17");
		LockHandle lock = this.locks.acquire(this.name, job);
		LockTemplate other = template("the-other");

		LockHandle resumed = other.acquire(this.name, job.retry(0));

		assertThat(resumed.fencingToken()).isEqualTo(lock.fencingToken());
		assertThat(resumed.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(lock.verify()).isFalse();
		lock.release();
	}

	@Test
	void lockStaysClosedAtLeastAsLongAsAskedCountedFromItsGrant() {
		LockHandle lock = this.locks.acquire(this.name, LockOptions.timeout(MINUTE).atLeastFor(Duration.ofSeconds(30)));
		long granted = System.nanoTime();
		await().until(() -> since(granted).toMillis() > 300);

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(stored()).isBetween(Duration.ofSeconds(10), Duration.ofMillis(29_750));
		assertThat(this.locks.tryAcquire(this.name)).isNull();
	}

	@Test
	void lockThatStayedClosedAsLongAsAskedIsFreeAfterIt() {
		LockOptions options = LockOptions.timeout(MINUTE).atLeastFor(Duration.ofMillis(500));
		long begin = System.nanoTime();
		this.locks.acquire(this.name, options).close();

		this.locks.acquire(this.name, PATIENT.retryDelay(Duration.ofMillis(10))).close();

		assertThat(since(begin)).isBetween(Duration.ofMillis(490), Duration.ofSeconds(20));
	}

	@Test
	void forcedReleaseIsALossForTheHolder() {
		AtomicInteger losses = new AtomicInteger();
		LockHandle lock = this.locks.acquire(this.name);
		lock.onLost(losses::incrementAndGet);

		assertThat(template("operator").forceRelease(this.name)).isTrue();

		assertThat(lock.verify()).isFalse();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.verify()).isFalse();
		await().until(() -> losses.get() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.withMessageContaining("released by force");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(losses).hasValue(1);
		assertThat(this.listener.events).containsExactly("acquired", "lost", "released NOT_HELD");
	}

	@Test
	void forcedReleaseOfAFreeLockFindsNoHolder() {
		assertThat(this.locks.forceRelease(this.name)).isFalse();
	}

	@Test
	void inspectionTellsTheHolder() {
		assertThat(this.locks.inspect(this.name)).isEmpty();
		assertThat(this.locks.isLocked(this.name)).isFalse();
		LockHandle lock = hold(this.name);

		assertThat(this.locks.isLocked(this.name)).isTrue();
		assertThat(this.locks.inspect(this.name)).hasValueSatisfying((state) -> {
			assertThat(state.name()).isEqualTo(this.name);
			assertThat(state.owner()).isEqualTo(lock.owner());
			assertThat(state.holder()).isEqualTo("this-one");
			assertThat(state.fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(state.toString()).doesNotContain(lock.owner());
		});
	}

	@Test
	void handleTellsNobodyItsSecret() {
		try (LockHandle lock = this.locks.acquire(this.name)) {
			assertThat(lock.toString()).contains(this.name).doesNotContain(lock.owner());
		}
	}

	// The end of the template

	@Test
	void closingEndsWaitsLetsLocksGoAndRefusesLaterCalls() {
		CountingStore counted = new CountingStore(createStore());
		LockTemplate closing = new LockTemplate(counted, LockConfiguration.defaults());
		LockHandle held = closing.acquire(this.name);
		CompletableFuture<Void> told = new CompletableFuture<>();
		held.onLost(() -> told.complete(null));
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> closing.acquire(this.name, PATIENT.reentrant(false)), this.threads);
		LockHandle blocker = this.locks.acquire(this.name + ":2");
		CompletableFuture<LockHandle> second = CompletableFuture
			.supplyAsync(() -> closing.acquire(this.name + ":2", PATIENT), this.threads);
		await().until(() -> counted.calls("acquire") >= 3);

		closing.close();

		assertThat(waiter).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockInterruptedException.class);
		assertThat(second).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockInterruptedException.class);
		assertThat(held.isHeld()).isFalse();
		assertThat(told).succeedsWithin(Duration.ofSeconds(20));
		assertThat(held.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.withMessageContaining("this instance shut down while it was held");
		assertThat(this.locks.isLocked(this.name)).isFalse();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> closing.acquire(this.name))
			.withMessage("Lock '%s' not acquired: this instance is shutting down", this.name);
		blocker.close();
	}

	@Test
	void closingTwiceClosesTheStoreOnce() {
		CountingStore counted = new CountingStore(createStore());
		LockTemplate closing = new LockTemplate(counted, LockConfiguration.defaults());

		closing.close();
		closing.close();

		assertThat(counted.calls("close")).isEqualTo(1);
	}

	@Test
	void questionsToAClosedTemplateFailOrAreAnswered() {
		LockTemplate closed = new LockTemplate(createStore(), LockConfiguration.defaults());
		closed.close();

		try {
			closed.inspect(this.name);
		}
		catch (LockStoreException ex) {
			assertThat(ex.getLockName()).isEqualTo(this.name);
		}
	}

	// What is refused

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t", "a\nb", "a\u0000" })
	void invalidNameIsRefused(String invalid) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(invalid));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.tryAcquire(invalid));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.inspect(invalid));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.forceRelease(invalid));

		assertThat(this.store.calls()).isZero();
	}

	@Test
	void nameOf1024BytesIsTaken() {
		String longest = "ü".repeat(512);

		this.locks.acquire(longest).close();

		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(longest + "x"))
			.withMessageStartingWith("lock name must have at most 1024 bytes in UTF-8 but has 1025: 'üü");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "{a}", "{}", "a}b{", "{{a}}", "ключ", "🔒", "a:b:c", "'\"\\", "%s%n" })
	void nameMayHaveAnyOtherCharacter(String odd) {
		try (LockHandle lock = this.locks.acquire(odd)) {
			assertThat(lock.verify()).isTrue();
			assertThat(this.locks.inspect(odd).orElseThrow().name()).isEqualTo(odd);
		}
		assertThat(this.locks.isLocked(odd)).isFalse();
	}

	// The context

	@Test
	void contextIsTheInnermostLockAndEndsWithItsWork() {
		assertThatIllegalStateException().isThrownBy(LockContext::current)
			.withMessageStartingWith("No lock is held for the work of this thread");

		this.locks.execute(this.name, () -> {
			LockHandle outer = LockContext.current();
			assertThat(outer.name()).isEqualTo(this.name);
			this.locks.execute(this.name + ":inner",
					() -> assertThat(LockContext.current().name()).isEqualTo(this.name + ":inner"));
			assertThat(LockContext.current()).isSameAs(outer);
			assertThatIllegalStateException().isThrownBy(() -> this.locks.execute(this.name + ":failing", () -> {
				throw new IllegalStateException("test");
			}));
			assertThat(LockContext.current()).isSameAs(outer);
		});

		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void contextDoesNotReachOtherThreads() {
		this.locks.execute(this.name, () -> {
			CompletableFuture<Void> elsewhere = CompletableFuture.runAsync(LockContext::current, this.threads);
			assertThat(elsewhere).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(IllegalStateException.class);
		});
	}

	@Test
	void virtualThreadsTakeTurnsAndEnterAgain() throws Exception {
		Method starter = virtualThreadStarter();
		int[] counter = new int[1];

		List<CompletableFuture<Void>> workers = IntStream.range(0, 500)
			.mapToObj((i) -> CompletableFuture
				.runAsync(() -> this.locks.execute(this.name, PATIENT, () -> this.locks.execute(this.name, () -> {
					counter[0]++;
				})), (task) -> start(starter, task)))
			.toList();
		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get();

		assertThat(counter[0]).isEqualTo(500);
	}

	private static Method virtualThreadStarter() throws NoSuchMethodException {
		boolean present = Runtime.version().feature() >= 21;
		if (!present) {
			System.out.println("[skipped] virtual threads came with Java 21, this is " + Runtime.version());
		}
		assumeTrue(present);
		return Thread.class.getMethod("startVirtualThread", Runnable.class);
	}

	private static void start(Method starter, Runnable task) {
		try {
			starter.invoke(null, task);
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void failingWith(IOException failure) throws IOException {
		this.locks.execute(this.name, () -> {
			throw failure;
		});
	}

	private void loseIt() {
		assertThat(template("operator").forceRelease(this.name)).isTrue();
	}

	/**
	 * Return a lock that another thread of this process took.
	 */
	private LockHandle hold(String name) {
		return CompletableFuture.supplyAsync(() -> this.locks.acquire(name, PATIENT.withTimeout(MINUTE)), this.threads)
			.join();
	}

	private CompletableFuture<LockHandle> acquireElsewhere(LockOptions options) {
		return CompletableFuture.supplyAsync(() -> this.locks.acquire(this.name, options), this.threads);
	}

	private @Nullable Duration stored() {
		return this.locks.inspect(this.name).orElseThrow().remaining();
	}

	private LockTemplate template(String instance) {
		return template(LockConfiguration.defaults().instance(instance));
	}

	private LockTemplate template(LockConfiguration configuration) {
		LockTemplate template = new LockTemplate(createStore(), configuration);
		this.templates.add(template);
		return template;
	}

	private CompletableFuture<Void> run(Thread thread) {
		thread.start();
		return CompletableFuture.runAsync(() -> await().until(() -> !thread.isAlive()), this.threads);
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "caller");
		thread.setDaemon(true);
		return thread;
	}

	private static Duration since(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin);
	}

}
