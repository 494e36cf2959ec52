package io.github.redislock.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class TestLocksTests {

	private static final String NAME = "payment:42";

	private static final LockTarget TARGET = LockTarget.of(NAME);

	private static final LockOptions AT_ONCE = LockOptions.options().retry(0);

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	private final TestLocks locks = TestLocks.withManualClock();

	private final LockOperations template = this.locks.template();

	@AfterEach
	void closeLocks() {
		// The clock is stopped, so closing must not wait for a lock that a test has left
		// held.
		this.locks.reset();
		this.locks.close();
	}

	// Other holders

	@Test
	void lockHeldElsewhereIsRefused() {
		this.locks.holdElsewhere(NAME);

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(TARGET, AT_ONCE))
			.satisfies(
					(refused) -> assertThat(refused.getHolder()).extracting(LockState::holder).isEqualTo("elsewhere"));
		assertThat(this.locks.isHeld(NAME)).isTrue();
	}

	@Test
	void lockReleasedElsewhereGoesToTheWaiter() {
		CompletableFuture<LockHandle> waiting;
		try (HeldElsewhere elsewhere = this.locks.holdElsewhere(NAME)) {
			assertThat(elsewhere.name()).isEqualTo(NAME);
			waiting = acquireInBackground(this.template);
		}

		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).returns(true, LockHandle::isHeld);
	}

	@Test
	void lockHeldElsewhereForReadingAdmitsOnlyReaders() {
		HeldElsewhere reader = this.locks.holdElsewhere(TARGET.forReading());
		this.locks.holdElsewhere(TARGET.forReading(), Duration.ofSeconds(30));

		assertThat(reader.name()).isEqualTo(NAME);
		assertThat(this.template.tryAcquire(TARGET, AT_ONCE)).isNull();
		try (LockHandle lock = this.template.acquire(TARGET.forReading(), AT_ONCE)) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(this.locks.holders(NAME)).isEqualTo(3);
		}
		reader.release();
		this.locks.advance(Duration.ofSeconds(30));
		assertThat(this.locks.holders(NAME)).isZero();
		assertThat(this.template.tryAcquire(TARGET, AT_ONCE)).isNotNull();
	}

	@Test
	void permitsTakenElsewhereAreUnavailable() {
		LockTarget permit = TARGET.permits(2);
		HeldElsewhere one = this.locks.holdElsewhere(permit);
		this.locks.holdElsewhere(permit);

		assertThatIllegalStateException().isThrownBy(() -> this.locks.holdElsewhere(permit));
		assertThat(this.template.tryAcquire(permit, AT_ONCE)).isNull();
		one.release();
		one.release();

		assertThat(this.template.tryAcquire(permit, AT_ONCE)).isNotNull();
	}

	@Test
	void sharedLockIsLostByAllSharers() {
		LockHandle one = this.template.acquire(TARGET.forReading(), AT_ONCE);
		LockHandle two = this.locks.template().acquire(TARGET.permits(5), AT_ONCE);
		LockHandle other = this.template.acquire(LockTarget.of("payment:43"), AT_ONCE);
		HeldElsewhere elsewhere = this.locks.holdElsewhere(TARGET.forReading());

		this.locks.lose(NAME);

		assertThat(one.isHeld()).isFalse();
		assertThat(two.isHeld()).isFalse();
		assertThat(other.isHeld()).isTrue();
		assertThat(this.locks.isHeld(NAME)).isFalse();
		elsewhere.release();
	}

	@Test
	void severalLocksAreRefusedIfOneIsHeldElsewhere() {
		this.locks.holdElsewhere("b");

		assertThat(this.template.tryAcquire(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")), AT_ONCE))
			.isNull();
		assertThat(this.locks.isHeld("a")).isFalse();
	}

	@Test
	void losingOneOfSeveralLocksLosesAllOfThem() {
		LockHandle several = this.template.acquire(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")),
				LockOptions.options());

		this.locks.lose("b");

		assertThat(several.isHeld()).isFalse();
		assertThat(this.locks.isHeld("b")).isFalse();
	}

	@Test
	void lockOfACrashedProcessIsFreeAfterItsLease() {
		this.locks.holdElsewhere(NAME, Duration.ofSeconds(30));

		this.locks.advance(Duration.ofSeconds(29));
		assertThat(this.template.tryAcquire(TARGET, AT_ONCE)).isNull();

		this.locks.advance(Duration.ofSeconds(1));
		assertThat(this.template.tryAcquire(TARGET, AT_ONCE)).isNotNull();
	}

	@Test
	void leaseOfAnotherProcessMustBeLongerThanZero() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.holdElsewhere(NAME, Duration.ZERO))
			.withMessage("lease must be longer than zero");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.holdElsewhere(NAME, Duration.ofSeconds(-1)));
		assertThat(this.locks.isHeld(NAME)).isFalse();
	}

	@Test
	void lockHeldHereCannotBeHeldElsewhere() {
		LockHandle lock = this.template.acquire(TARGET);

		assertThatIllegalStateException().isThrownBy(() -> this.locks.holdElsewhere(NAME))
			.withMessage("Lock '%s' cannot be held elsewhere: 'pid-%d' holds it", NAME, ProcessHandle.current().pid());
		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void closedTemplateDoesNotReleaseLocksOfOthers() {
		LockTemplate other = this.locks.template();
		LockHandle lock = this.template.acquire(TARGET);

		other.close();

		assertThat(lock.verify()).isTrue();
		assertThat(this.locks.isHeld(NAME)).isTrue();
	}

	@Test
	void namesOfAcquiredLocksAreRecordedInOrder() {
		this.template.execute("a", () -> this.template.execute("b", () -> "both"));
		this.template.execute("a", () -> "once more");

		assertThat(this.locks.acquired()).containsExactly("a", "b", "a");
	}

	// Loss

	@Test
	void lostLockIsNoLongerHeld() {
		AtomicInteger told = new AtomicInteger();
		LockHandle lock = this.template.acquire(TARGET);
		lock.onLost(told::incrementAndGet);

		this.locks.lose(NAME);

		assertThat(lock.isHeld()).isFalse();
		assertThat(this.locks.isHeld(NAME)).isFalse();
		await().untilAtomic(told, (count) -> assertThat(count).isEqualTo(1));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((lost) -> assertThat(lost.getLockName()).isEqualTo(NAME));
	}

	@Test
	void workThatLosesItsLockFailsWithLockLostException() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(NAME, () -> this.locks.lose(NAME)));
	}

	@Test
	void lostLockGoesToTheNextWaiter() {
		LockHandle lock = this.locks.template().acquire(TARGET);
		CompletableFuture<LockHandle> waiting = acquireInBackground(this.template);

		this.locks.lose(NAME);

		LockHandle next = waiting.orTimeout(30, SECONDS).join();
		assertThat(next.isHeld()).isTrue();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(next.verify()).isTrue();
	}

	@Test
	void lossOfALockThatNoTemplateHoldsIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose(NAME))
			.withMessage("Lock 'payment:42' cannot be lost: no caller holds it");

		this.template.acquire(LockTarget.of("payment:43"));
		this.locks.holdElsewhere(NAME);
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose(NAME))
			.withMessageContaining("it is held by 'elsewhere', but not through a template");
	}

	@Test
	void lossCannotBeSimulatedWhileTheStoreIsDown() {
		this.template.acquire(TARGET);
		this.locks.goDown();

		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose(NAME))
			.withMessageContaining("its holder notices no loss until its lease is over");
	}

	@Test
	void lockOfAManuallyCreatedTemplateCanBeLost() {
		LockConfiguration configuration = LockConfiguration.defaults()
			.timer(this.locks.timer())
			.listener(this.locks.listener());
		try (LockTemplate own = new RedisLockTemplate(this.locks.store(), configuration)) {
			LockHandle lock = own.acquire(TARGET);

			this.locks.lose(NAME);

			assertThat(lock.isHeld()).isFalse();
		}
	}

	// Lost replies

	@Test
	void lostReplyToAnAcquireMakesTheOutcomeUnknown() {
		this.locks.loseNextReplyToAcquire();

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(TARGET, AT_ONCE))
			.satisfies((failure) -> assertThat(failure.isOutcomeUnknown()).isTrue());
		// The request is withdrawn in the background, which runs immediately here.
		assertThat(this.locks.isHeld(NAME)).isFalse();
	}

	@Test
	void acquireWithALostReplyIsRepeatedWithinTheWaitTime() {
		this.locks.loseNextReplyToAcquire();
		CompletableFuture<LockHandle> acquiring = acquireInBackground(this.template);

		turnUntilDone(acquiring);

		assertThat(acquiring.join().verify()).isTrue();
		assertThat(this.locks.acquired()).containsExactly(NAME);
	}

	/**
	 * The request of the next caller is sent together with the release.
	 */
	@Test
	void replyToTheNextCallerIsLostWhenTheTurnOfAnInstanceEnds() {
		LockOperations inTurn = this.locks.template(LockConfiguration.defaults().slice(Duration.ZERO));
		LockHandle first = inTurn.acquire(TARGET, PATIENT);
		CompletableFuture<LockHandle> next = CompletableFuture
			.supplyAsync(() -> inTurn.acquire(TARGET, PATIENT.reentrant(false)), OwnThread::run);
		await().until(() -> inTurn.local().waiting().size() == 1);
		this.locks.loseNextReplyToAcquire();

		assertThat(first.release()).isEqualTo(ReleaseOutcome.UNKNOWN);

		turnUntilDone(next);
		assertThat(next.join().isHeld()).isTrue();
	}

	@Test
	void lostReplyToAReleaseMakesTheOutcomeUnknown() {
		LockHandle lock = this.template.acquire(TARGET);
		this.locks.loseNextReplyToRelease();

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
		assertThat(this.locks.isHeld(NAME)).isFalse();
	}

	@Test
	void lostReplyToARenewalDoesNotLoseTheLock() {
		LockHandle lock = this.template.acquire(TARGET);
		this.locks.loseNextReplyToRenewal();

		this.locks.advance(Duration.ofMinutes(2));

		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.verify()).isTrue();
	}

	@Test
	void lostReplyToAnExtensionMakesTheOutcomeUnknown() {
		LockHandle lock = this.template.acquire(TARGET);
		this.locks.loseNextReplyToRenewal();

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock.extend(Duration.ofMinutes(5)))
			.satisfies((failure) -> assertThat(failure.isOutcomeUnknown()).isTrue());
		assertThat(lock.verify()).isTrue();
	}

	@Test
	void asManyRepliesAreLostAsRequested() {
		this.locks.loseNextReplyToRelease();
		this.locks.loseNextReplyToRelease();

		assertThat(this.template.acquire(TARGET).release()).isEqualTo(ReleaseOutcome.UNKNOWN);
		// The second lost reply is that of the background release.
		this.locks.advance(Duration.ofSeconds(30));
		assertThat(this.template.acquire(TARGET).release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	// Outage

	@Test
	void storeThatIsDownRefusesAcquireAndInspect() {
		this.locks.goDown();

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.acquire(TARGET, AT_ONCE))
			.satisfies((failure) -> assertThat(failure.isOutcomeUnknown()).isFalse());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.template.inspect(TARGET));
	}

	@Test
	void holderSurvivesAnOutageShorterThanItsLease() {
		LockHandle lock = this.template.acquire(TARGET);

		this.locks.goDown();
		this.locks.advance(Duration.ofSeconds(20));
		this.locks.comeBack();
		this.locks.advance(Duration.ofSeconds(60));

		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void holderLosesItsLockInAnOutageLongerThanItsLease() {
		LockHandle lock = this.template.acquire(TARGET);

		this.locks.goDown();
		this.locks.advance(Duration.ofSeconds(31));

		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void waiterGetsTheLockAfterAnOutage() {
		HeldElsewhere elsewhere = this.locks.holdElsewhere(NAME);
		CompletableFuture<LockHandle> waiting = acquireInBackground(this.template);
		this.locks.goDown();
		elsewhere.release();

		this.locks.comeBack();
		turnUntilDone(waiting);

		assertThat(waiting.join().isHeld()).isTrue();
	}

	@Test
	void callerThatBeganToWaitInAnOutageGetsTheLockAtItsEnd() {
		this.locks.goDown();
		CompletableFuture<LockHandle> waiting = acquireInBackground(this.template);
		await().until(() -> this.template.local().waiting().size() == 1);

		this.locks.comeBack();

		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).returns(true, LockHandle::isHeld);
	}

	// The clock

	@Test
	void leaseIsRenewedWhenTheClockAdvances() {
		LockHandle renewed = this.template.acquire(LockTarget.of("renewed"));
		LockHandle left = this.template.acquire(LockTarget.of("left"), LockOptions.options().autoRenew(false));

		this.locks.advance(Duration.ofMinutes(10));

		assertThat(renewed.isHeld()).isTrue();
		assertThat(left.isHeld()).isFalse();
	}

	@Test
	void waitTimeElapsesWhenTheClockAdvances() {
		this.locks.holdElsewhere(NAME);
		CompletableFuture<LockHandle> waiting = acquireInBackground(this.template);

		this.locks.advance(Duration.ofSeconds(59));
		assertThat(waiting).isNotDone();

		this.locks.advance(Duration.ofSeconds(2));
		assertThat(waiting).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@RepeatedTest(30)
	void clockMayAdvanceAsSoonAsACallerWaits() {
		this.locks.holdElsewhere(NAME, Duration.ofSeconds(30));
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.template.acquire(TARGET, PATIENT), OwnThread::run);
		while (this.locks.waiters(NAME) == 0) {
			// Without a pause, because the caller is about to schedule its next request.
			Thread.onSpinWait();
		}

		this.locks.advance(Duration.ofSeconds(31));

		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void lockSeenBeforeItsCallerHasItIsRenewedWhenTheClockAdvances() {
		LockHandle lock = whileGranted(() -> this.locks.advance(Duration.ofMinutes(2)));

		assertThat(lock.isHeld()).isTrue();
		assertThat(this.locks.isHeld(NAME)).isTrue();
	}

	@Test
	void lockSeenBeforeItsCallerHasItCanBeLost() {
		LockHandle lock = whileGranted(() -> this.locks.lose(NAME));

		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void lockSeenBeforeItsCallerHasItIsLostByAReset() {
		LockHandle lock = whileGranted(this.locks::reset);

		assertThat(lock.isHeld()).isFalse();
	}

	/**
	 * Run an action as soon as the store has granted a lock, before its caller has
	 * received it.
	 */
	private LockHandle whileGranted(Runnable action) {
		CompletableFuture<Void> granted = new CompletableFuture<>();
		CompletableFuture<Void> goOn = new CompletableFuture<>();
		LockListener slow = new LockListener() {

			@Override
			public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
				granted.complete(null);
				goOn.join();
			}

		};
		RedisLockTemplate other = this.locks.template(LockConfiguration.defaults().listener(slow));
		Thread acting = new Thread(action);
		CompletableFuture<LockHandle> caller = CompletableFuture.supplyAsync(() -> {
			LockHandle lock = other.acquire(TARGET);
			// The lock of a thread that has ended is not renewed.
			await().until(() -> !acting.isAlive());
			return lock;
		}, OwnThread::run);
		granted.join();
		acting.start();
		await().until(() -> acting.getState() == Thread.State.TIMED_WAITING || !acting.isAlive());

		goOn.complete(null);

		return caller.join();
	}

	@Test
	void realClockCannotBeAdvanced() {
		try (TestLocks live = TestLocks.create()) {
			assertThat(live.template().execute(NAME, () -> "done")).isEqualTo("done");
			assertThatIllegalStateException().isThrownBy(() -> live.advance(Duration.ofSeconds(1)))
				.withMessage("The clock is not manual: create the locks with TestLocks.withManualClock()");
		}
	}

	@Test
	void leaseElapsesInRealTime() {
		try (TestLocks live = TestLocks.create()) {
			live.holdElsewhere(NAME, Duration.ofMillis(200));

			LockHandle lock = live.template().acquire(TARGET, PATIENT);

			assertThat(lock.isHeld()).isTrue();
		}
	}

	// Reset between two tests

	@Test
	void resetFreesAllLocksAndEndsAllFaults() {
		LockHandle left = this.template.acquire(LockTarget.of("left"));
		this.locks.holdElsewhere(NAME);
		this.locks.loseNextReplyToRelease();
		this.locks.goDown();

		this.locks.reset();

		assertThat(left.isHeld()).isFalse();
		assertThat(this.locks.isHeld("left")).isFalse();
		assertThat(this.locks.acquired()).isEmpty();
		assertThat(this.template.acquire(TARGET, AT_ONCE).release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void releaseAfterAResetAffectsNoNewHolder() {
		HeldElsewhere elsewhere = this.locks.holdElsewhere(NAME);
		LockHandle before = this.template.acquire(LockTarget.of("other"));
		this.locks.reset();
		LockHandle after = this.template.acquire(TARGET);
		LockHandle other = this.template.acquire(LockTarget.of("other"));

		elsewhere.release();
		before.release();

		assertThat(after.verify()).isTrue();
		assertThat(other.verify()).isTrue();
	}

	@Test
	void waiterGetsTheLockAfterAReset() {
		this.locks.holdElsewhere(NAME);
		CompletableFuture<LockHandle> waiting = acquireInBackground(this.template);

		this.locks.reset();

		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).returns(true, LockHandle::isHeld);
	}

	@Test
	void closedStoreReceivesNoMoreMessages() {
		List<String> received = new CopyOnWriteArrayList<>();
		LockStore store = this.locks.store();
		store.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				received.add("handed over");
			}

			@Override
			public void changed() {
				received.add("changed");
			}

			@Override
			public void takenByForce(String lockName) {
				received.add("taken by force");
			}

		});

		store.close();
		this.template.acquire(TARGET);
		this.locks.lose(NAME);
		this.locks.comeBack();

		assertThat(received).isEmpty();
	}

	@Test
	void closingEndsAnOutageAndStopsTheClock(CapturedOutput output) {
		ManualLockTimer timer = new ManualLockTimer();
		Future<?> task = timer.schedule(() -> {
		}, Duration.ofSeconds(1));
		TestLocks own = TestLocks.withTimer(timer);
		own.template().acquire(TARGET);
		own.goDown();

		own.close();

		timer.advance(Duration.ofSeconds(1));
		assertThat(task.isDone()).isFalse();
		assertThat(output).doesNotContain("Not all requests were confirmed at shutdown");
	}

	@Test
	void closedLocksAreRefused() {
		this.locks.close();

		for (ThrowingCallable use : List.<ThrowingCallable>of(() -> this.locks.holdElsewhere("a"), this.locks::template,
				() -> this.locks.isHeld("a"), () -> this.locks.lose("a"))) {
			assertThatIllegalStateException().isThrownBy(use)
				.withMessage("These TestLocks are closed: create new ones for each test");
		}
		assertThat(this.locks.acquired()).isEmpty();
	}

	@Test
	void contradictingOrdersAreReported() {
		inOrder("a", "b");
		OwnThread.awaitRest(OwnThread.start(() -> inOrder("b", "a")));

		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.locks::assertConsistentOrder)
			.withMessageContainingAll(
					"thread '%s' held 'a' and requested 'b'".formatted(Thread.currentThread().getName()),
					"thread 'own-thread' held 'b' and requested 'a'", "LockTarget.allOf");
	}

	@Test
	void contradictingOrdersOfThreeLocksAreReported() {
		inOrder("a", "b");
		inOrder("b", "c");
		this.locks.assertConsistentOrder();
		inOrder("c", "a");

		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.locks::assertConsistentOrder)
			.withMessageContainingAll("held 'a' and requested 'b'", "held 'b' and requested 'c'",
					"held 'c' and requested 'a'");
	}

	@Test
	void orderIncludesRefusedLocks() {
		inOrder("a", "b");
		this.locks.holdElsewhere("a");

		this.template.execute("b", () -> assertThat(this.template.tryAcquire(LockTarget.of("a"))).isNull());

		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.locks::assertConsistentOrder);
	}

	@Test
	void locksAcquiredTogetherHaveNoOrder() {
		this.template.execute(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")), () -> {
		});
		this.template.execute(LockTarget.allOf(LockTarget.of("b"), LockTarget.of("a")), () -> inOrder("b", "a"));

		this.locks.assertConsistentOrder();
	}

	@Test
	void ordersUnderACommonLockDoNotContradictEachOther() {
		inOrder("gate", "a", "b");
		inOrder("gate", "b", "a");

		this.locks.assertConsistentOrder();
	}

	@Test
	void furtherPermitOfALockContradictsTheOrderOfTheFirst() {
		LockTarget permit = LockTarget.of("a").permits(2);
		LockOptions further = LockOptions.options().reentrant(false);

		this.template.execute(permit,
				() -> this.template.execute("b", () -> this.template.execute(permit, further, () -> {
				})));

		assertThatExceptionOfType(AssertionError.class).isThrownBy(this.locks::assertConsistentOrder)
			.withMessageContainingAll("held 'a' and requested 'b'", "held 'b' and requested 'a'");
	}

	@Test
	void resetClearsTheRecordedOrders() {
		inOrder("a", "b");
		this.locks.reset();
		inOrder("b", "a");

		this.locks.assertConsistentOrder();
	}

	/**
	 * Acquire locks, each one while the previous ones are held.
	 */
	private void inOrder(String... names) {
		if (names.length > 0) {
			this.template.execute(names[0], () -> inOrder(Arrays.copyOfRange(names, 1, names.length)));
		}
	}

	private CompletableFuture<LockHandle> acquireInBackground(LockOperations operations) {
		int before = this.locks.waiters(NAME);
		boolean held = this.locks.isHeld(NAME);
		CompletableFuture<LockHandle> acquired = CompletableFuture
			.supplyAsync(() -> operations.acquire(TARGET, PATIENT.reentrant(false)), OwnThread::run);
		if (held) {
			await().until(() -> this.locks.waiters(NAME) > before);
		}
		return acquired;
	}

	/**
	 * Advance the clock in small steps as long as a caller waits for it.
	 */
	private void turnUntilDone(CompletableFuture<?> waiting) {
		await().pollInterval(Duration.ofMillis(5)).until(() -> {
			this.locks.advance(Duration.ofMillis(50));
			return waiting.isDone();
		});
	}

}
