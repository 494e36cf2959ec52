package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.redislock.HandOverKind;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.testing.FencingTokens;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.github.redislock.internal.engine.ScriptedStore.last;
import static io.github.redislock.internal.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests when a lock passes from caller to caller inside a process, and when it does not.
 */
class LocalQueueTests {

	private final EngineCalls calls = new EngineCalls();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final AcquireReply TOLD = new AcquireReply.Held(
			LockState.of("order:42", "other/secret", Duration.ofMinutes(10), 3L, null, 1L, true, 1), true, true);

	private static final LockStoreException NOT_SENT = new LockStoreException(TARGET, "not sent",
			new RejectedExecutionException(), true, false);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofHours(1))
		.retryDelay(Duration.ofMillis(100));

	private final ManualLockTimer clock = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private LockEngine engine = engine(LockConfiguration.defaults());

	@Test
	void lockPassesInOrderWithANewFencingTokenForEachHolder() {
		List<Acquisition<BlockingHandle>> line = granted(line(5));

		for (int turn = 0; turn < line.size() - 1; turn++) {
			assertThat(line.subList(turn + 1, line.size())).noneMatch((next) -> next.outcome().isDone());
			assertThat(lock(line.get(turn)).fencingToken()).isEqualTo(7 + turn);
			assertThat(lock(line.get(turn)).release()).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(lock(line.get(turn)).isHeld()).isFalse();
		}

		assertThat(this.store.log).containsExactly("acquire");
		assertThat(line).extracting((caller) -> EngineCalls.lock(caller).hold().from())
			.containsExactly(HandOverKind.NONE, HandOverKind.LOCAL, HandOverKind.LOCAL, HandOverKind.LOCAL,
					HandOverKind.LOCAL);
	}

	@Test
	void debugLogTellsWhetherTheLockWasFreeOrPassedOn() {
		try (LogRecorder log = LogRecorder.debugOf(Acquisition.class.getName())) {
			lock(granted(line(2)).get(0)).release();

			assertThat(log.lines()).containsExactly("DEBUG Lock 'order:42' granted after 0ms (free), fencing token 7",
					"DEBUG Lock 'order:42' granted after 0ms (passed on within this instance), fencing token 8");
		}
	}

	@ParameterizedTest
	@CsvSource({ "true, handed over by other", "false, after other" })
	void debugLogNamesTheFormerHolder(boolean handedOver, String origin) {
		try (LogRecorder log = LogRecorder.debugOf(Acquisition.class.getName())) {
			acquire(PATIENT);
			only(this.store.acquires).reply(TOLD);
			if (handedOver) {
				this.store.handOver(only(this.store.acquires), 9);
			}
			else {
				this.clock.advance(Duration.ofSeconds(1));
				last(this.store.acquires).reply(new AcquireReply.Granted(9));
			}

			assertThat(log.text()).contains("(" + origin + "), fencing token 9");
		}
	}

	@Test
	void lastHolderOfTheQueueReleasesTheLockInTheStore() {
		List<Acquisition<BlockingHandle>> line = granted(line(2));
		lock(line.get(0)).release();

		CompletableFuture<ReleaseOutcome> released = release(line.get(1));

		only(this.store.releases).reply(true);
		assertThat(released.join()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(only(this.store.releases).requestId()).isEqualTo(only(this.store.acquires).requestId());
		await().until(this.engine::isIdle);
	}

	@Test
	void cancelledWaiterIsSkipped() {
		List<Acquisition<BlockingHandle>> line = granted(line(3));
		line.get(1).cancel(new LockInterruptedException(TARGET));

		lock(line.get(0)).release();

		assertThat(lock(line.get(2)).fencingToken()).isEqualTo(8);
		assertThat(this.store.log).containsExactly("acquire");
	}

	@Test
	void requestOfAnEmptyQueueIsWithdrawn() {
		List<Acquisition<BlockingHandle>> line = line(2);
		only(this.store.acquires).reply(TOLD);

		line.get(0).cancel(new LockInterruptedException(TARGET));
		assertThat(this.store.withdraws).isEmpty();
		line.get(1).cancel(new LockInterruptedException(TARGET));

		assertThat(only(this.store.withdraws).requestId()).isEqualTo(only(this.store.acquires).requestId());
		assertThat(this.store.withdrawnAfterReply).containsExactly(true);
	}

	@Test
	void withdrawalOfARequestThatMayStillArriveIsToBeRemembered() {
		Acquisition<BlockingHandle> waiter = acquire(PATIENT);

		waiter.cancel(new LockInterruptedException(TARGET));

		assertThat(this.store.withdrawnAfterReply).containsExactly(false);
	}

	@Test
	void requestOfACallerBeyondTheLimitIsWithdrawn() {
		LockOptions separate = PATIENT.atLeastFor(Duration.ofSeconds(1)).maxWaiters(1);
		acquire(separate);
		Acquisition<BlockingHandle> refused = acquire(separate);

		this.store.acquires.forEach((question) -> question.reply(TOLD));

		assertThat(refusal(refused).getWaitingCallers()).isEqualTo(1);
		assertThat(only(this.store.withdraws).requestId()).isEqualTo(last(this.store.acquires).requestId());
	}

	@Test
	void timerHasOneTaskForTheWaitsOfAQueueAndNoneWhenTheyHaveEnded() {
		HookedTimer timer = new HookedTimer(this.clock);
		this.engine = new LockEngine(this.store, LockConfiguration.defaults().timer(timer));
		line(2);
		acquire(PATIENT.waitTime(Duration.ofMinutes(1)));
		assertThat(timer.pending(QueueState.class)).isEqualTo(1);

		only(this.store.acquires).refuseForGood();
		assertThat(timer.pending(QueueState.class)).as("failed").isZero();

		List<Acquisition<BlockingHandle>> line = line(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(7));
		assertThat(timer.pending(QueueState.class)).isEqualTo(1);
		lock(line.get(0)).release();
		assertThat(lock(line.get(1)).isHeld()).isTrue();
		assertThat(timer.pending(QueueState.class)).as("served").isZero();
	}

	@Test
	void onlyALockThatMayBePassedOnReservesSeveralFencingTokens() {
		List<AcquireRequest> asked = replyAllWith(TOLD);

		acquire(PATIENT);
		acquire(PATIENT.neverExpires());

		assertThat(asked).extracting(AcquireRequest::tokens).containsExactly(33, 1);
	}

	@Test
	void lockIsYieldedAfterTheThirtyThirdHold() {
		List<Acquisition<BlockingHandle>> line = granted(line(40));
		for (int turn = 0; turn < 32; turn++) {
			lock(line.get(turn)).release();
		}
		assertThat(this.store.log).containsExactly("acquire");
		assertThat(lock(line.get(32)).fencingToken()).isEqualTo(7 + 32);

		CompletableFuture<ReleaseOutcome> yielded = release(line.get(32));
		assertThat(line.get(33).outcome()).isNotDone();
		only(this.store.releases).reply(true);
		last(this.store.acquires).reply(new AcquireReply.Granted(100));

		assertThat(yielded.join()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(lock(line.get(33)).fencingToken()).isEqualTo(100);
		assertThat(lock(line.get(33)).owner()).isNotEqualTo(lock(line.get(32)).owner());
		assertThat(this.store.acquires).hasSize(2);
		assertThat(last(this.store.acquires).requestId()).isNotEqualTo(this.store.acquires.get(0).requestId());
	}

	@Test
	void lockIsYieldedIfATurnTakesTooLong() {
		List<Acquisition<BlockingHandle>> line = granted(line(3));

		this.clock.advance(Duration.ofMillis(20).minusNanos(1));
		lock(line.get(0)).release();
		assertThat(lock(line.get(1)).isHeld()).isTrue();
		assertThat(this.store.releases).isEmpty();
		this.clock.advance(Duration.ofNanos(1));
		release(line.get(1));

		assertThat(line.get(2).outcome()).isNotDone();
		only(this.store.releases).reply(true);
		last(this.store.acquires).reply(TOLD);
		assertThat(line.get(2).outcome()).isNotDone();
		this.store.handOver(last(this.store.acquires), 50);
		assertThat(lock(line.get(2)).fencingToken()).isEqualTo(50);
	}

	@Test
	void lockIsYieldedIfANoticeOfAForcedReleaseMayBeLost() {
		List<Acquisition<BlockingHandle>> line = granted(line(2));

		this.store.changeWayOfTelling();
		release(line.get(0));

		assertThat(line.get(1).outcome()).isNotDone();
	}

	@Test
	void releaseIsUnknownAndOthersKeepWaitingIfTheReplyToAYieldIsLost() {
		List<Acquisition<BlockingHandle>> line = granted(line(2));
		this.clock.advance(Duration.ofMillis(20));

		CompletableFuture<ReleaseOutcome> yielded = release(line.get(0));
		last(this.store.releases).loseReply();

		assertThat(yielded.join()).isEqualTo(ReleaseOutcome.UNKNOWN);
		assertThat(line.get(1).outcome()).isNotDone();
		// The release is sent again in the background.
		await().until(() -> this.store.releases.size() == 2);
		last(this.store.releases).reply(true);
		this.clock.advance(Duration.ofMillis(110));
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(100));
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(100);
		assertThat(this.listener.events).doesNotContain("lost");
	}

	@Test
	void releaseIsReportedBeforeTheReplyToTheAcquisitionOfAYield() {
		List<Acquisition<BlockingHandle>> line = granted(line(2));
		this.clock.advance(Duration.ofMillis(20));

		CompletableFuture<ReleaseOutcome> yielded = release(line.get(0));
		only(this.store.releases).reply(true);

		assertThat(yielded.join()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(line.get(1).outcome()).isNotDone();
		last(this.store.acquires).future().completeExceptionally(new IllegalStateException("test"));
		assertOutage(line.get(1), true);
		assertThat(this.store.releases).hasSize(1);
		assertThat(last(this.store.withdraws).requestId()).isEqualTo(last(this.store.acquires).requestId());
	}

	@Test
	void claimThatIsAboutToExpireIsRenewedBeforeItIsPassedOn() {
		List<Acquisition<BlockingHandle>> line = lineWithAClaimAboutToExpire();

		lock(line.get(0)).release();
		assertThat(line.get(1).outcome()).isNotDone();
		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofMillis(31_500));
		only(this.store.renews).reply(true);

		assertThat(lock(line.get(1)).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)));
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(10);
	}

	@Test
	void lockThatIsBeingPassedOnIsReleasedBeforeTheStoreCloses() {
		List<Acquisition<BlockingHandle>> line = lineWithAClaimAboutToExpire();
		lock(line.get(0)).release();

		Thread closing = OwnThread.start(this.engine::close);
		await().until(() -> line.get(1).outcome().isDone());
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
		only(this.store.renews).reply(true);
		only(this.store.releases).reply(true);

		await().until(() -> !closing.isAlive());
		assertThat(this.store.log).containsExactly("acquire", "renew", "release", "close");
	}

	@Test
	void leaseThatEndsWhileTheLockIsPassedOnIsNotRenewedAgain() {
		Acquisition<BlockingHandle> first = acquire(PATIENT.autoRenew(false));
		Acquisition<BlockingHandle> next = acquire(PATIENT.timeout(Duration.ofSeconds(5)).autoRenew(false));
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		lock(first).release();

		this.clock.advance(Duration.ofSeconds(5));
		only(this.store.renews).reply(true);

		assertThat(this.store.renews).hasSize(1);
		assertThat(next.outcome()).isNotDone();
	}

	@Test
	void onlyClaimConfirmationsHaveATimeoutOfAThirdOfTheClaim() {
		handOver();
		this.clock.advance(Duration.ofMillis(300));
		last(this.store.renews).loseReply();
		this.clock.advance(Duration.ofMillis(45));
		last(this.store.renews).reply(true);
		this.clock.advance(Duration.ofSeconds(10));

		assertThat(this.store.renewedWithin).containsExactly(Duration.ofMillis(300), Duration.ofMillis(300), null);
	}

	@Test
	void confirmationOfAClaimIsNotReportedAsARenewal() {
		handOver();
		this.clock.advance(Duration.ofMillis(300));
		last(this.store.renews).reply(true);
		assertThat(this.listener.events).containsExactly("acquired");

		this.clock.advance(Duration.ofSeconds(10));
		last(this.store.renews).reply(true);

		assertThat(this.listener.events).containsExactly("acquired", "renewed");
	}

	@Test
	void extensionOfAnUnconfirmedClaimIsAddedToTheRequestedLease() {
		Acquisition<BlockingHandle> caller = handOver();
		this.clock.advance(Duration.ofMillis(300));
		last(this.store.renews).reject();

		EngineCalls.lock(caller).hold().extend(Duration.ofSeconds(10));

		assertThat(this.store.renews).hasSize(2);
		assertThat(last(this.store.renews).duration()).as("39.7 s and 5 %").isEqualTo(Duration.ofMillis(41_685));
	}

	@Test
	void failedClaimConfirmationIsReportedImmediately() {
		handOver();
		this.clock.advance(Duration.ofMillis(300));

		last(this.store.renews).loseReply();

		assertThat(renewalFailure()).isEqualTo("no reply");
		assertThat(this.listener.events).containsExactly("acquired", "renewalFailed");
	}

	@Test
	void nextWaiterSendsANewRequestIfTheLockIsLostWhileBeingPassedOn() {
		List<Acquisition<BlockingHandle>> line = lineWithAClaimAboutToExpire();
		lock(line.get(0)).release();

		only(this.store.renews).reply(false);

		assertThat(line.get(1).outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
		assertThat(last(this.store.acquires).requestId()).isNotEqualTo(this.store.acquires.get(0).requestId());
		last(this.store.acquires).reply(new AcquireReply.Granted(100));
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(100);
	}

	/**
	 * The reply to the renewal may be older than the message.
	 */
	@Test
	void lockReleasedByForceWhileItIsPassedOnIsRequestedAgain() {
		List<Acquisition<BlockingHandle>> line = lineWithAClaimAboutToExpire();
		lock(line.get(0)).release();

		this.store.takeByForce(TARGET);
		only(this.store.renews).reply(true);

		assertThat(line.get(1).outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(100));
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(100);
	}

	@Test
	void refusalWhileTheLockIsPassedOnReachesTheNextHolder() {
		int look = 0;
		while (refuseAt(++look)) {
			this.store.acquires.clear();
			this.store.renews.clear();
			this.listener.events.clear();
		}
		// The clock is read at each step from the release to the next hold.
		assertThat(look).isGreaterThan(10);
	}

	/**
	 * Pass a lock on, and refuse its renewal when the clock is read.
	 * @param look which reading of the clock
	 * @return whether the clock was read so often
	 */
	private boolean refuseAt(int look) {
		HookedTimer timer = new HookedTimer(this.clock);
		AtomicInteger looks = new AtomicInteger();
		this.engine = new LockEngine(this.store,
				LockConfiguration.defaults().slice(Duration.ofHours(1)).timer(timer).listeners(List.of(this.listener)));
		List<Acquisition<BlockingHandle>> line = granted(line(2));
		this.clock.advance(Duration.ofSeconds(10));
		this.listener.events.clear();

		timer.onEachLook(() -> {
			if (looks.incrementAndGet() == look) {
				only(this.store.renews).reply(false);
			}
		});
		lock(line.get(0)).release();
		timer.onEachLook(null);

		if (looks.get() < look) {
			return false;
		}
		assertThat(this.engine.local().held()).isEmpty();
		if (line.get(1).outcome().isDone()) {
			assertThat(this.listener.events).contains("lost");
		}
		return true;
	}

	@Test
	void lockGrantedLateIsUsedWithoutARenewal() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.autoRenew(false));
		this.clock.advance(Duration.ofSeconds(20));

		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		assertThat(lock(caller).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)).minusSeconds(20));
	}

	@Test
	void nextHolderGetsAtLeastHalfOfARenewedLease() {
		this.engine = engine(LockConfiguration.defaults().slice(Duration.ofHours(1)));
		List<Acquisition<BlockingHandle>> line = granted(line(3));

		this.clock.advance(Duration.ofSeconds(9));
		lock(line.get(0)).release();
		assertThat(lock(line.get(1)).remaining())
			.isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)).minusSeconds(9));
		this.clock.advance(Duration.ofSeconds(6));
		only(this.store.renews).reject();
		lock(line.get(1)).release();

		assertThat(line.get(2).outcome()).isNotDone();
		last(this.store.renews).reply(true);
		assertThat(lock(line.get(2)).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)));
	}

	@Test
	void nextHolderIsRenewedAtItsOwnInterval() {
		this.engine = engine(LockConfiguration.defaults().slice(Duration.ofHours(1)));
		Acquisition<BlockingHandle> often = acquire(PATIENT.renewEvery(Duration.ofSeconds(4)));
		Acquisition<BlockingHandle> oftener = acquire(PATIENT.renewEvery(Duration.ofSeconds(2)));
		Acquisition<BlockingHandle> usual = acquire(PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		this.clock.advance(Duration.ofSeconds(1));
		lock(often).release();
		this.clock.advance(Duration.ofSeconds(1));
		only(this.store.renews).reply(true);
		lock(oftener).release();
		lock(usual);
		this.clock.advance(Duration.ofSeconds(2));
		last(this.store.renews).reply(true);

		this.clock.advance(Duration.ofSeconds(10).minusNanos(1));
		assertThat(this.store.renews).hasSize(2);
		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.store.renews).hasSize(3);
	}

	@Test
	void nextHolderWithoutRenewalGetsAtLeast95PercentOfItsLease() {
		LockOptions unrenewed = PATIENT.timeout(Duration.ofSeconds(30)).autoRenew(false);
		this.engine = engine(LockConfiguration.defaults().slice(Duration.ofHours(1)));
		List<Acquisition<BlockingHandle>> line = List.of(acquire(unrenewed), acquire(unrenewed), acquire(unrenewed));
		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		this.clock.advance(Duration.ofMillis(1_500));
		lock(line.get(0)).release();
		assertThat(this.store.renews).isEmpty();
		assertThat(lock(line.get(1)).isHeld()).isTrue();

		this.clock.advance(Duration.ofMillis(1));
		lock(line.get(1)).release();
		assertThat(line.get(2).outcome()).isNotDone();
		only(this.store.renews).reply(true);
		assertThat(lock(line.get(2)).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)));
	}

	/**
	 * A quick release records no token, so the next token is the server's clock, which
	 * may not have passed all tokens of a short tenure, and may have been set back during
	 * a long one.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 0, 7", "2, 2000, 0", "2, 2001, 7", "2, 1000000000, 7", "2, 1000000001, 0" })
	void quickReleaseIsSkippedIfAFencingTokenMightBeRepeated(int callers, long nanos, long quickToken) {
		this.clock.advance(Duration.ofMinutes(1));
		List<Acquisition<BlockingHandle>> line = line(callers);
		only(this.store.acquires).reply(new AcquireReply.Granted(7, true));
		line.subList(0, callers - 1).forEach((earlier) -> lock(earlier).release());
		this.clock.advance(Duration.ofNanos(nanos));

		release(line.get(callers - 1));

		assertThat(this.store.quickToken).isEqualTo(quickToken);
		only(this.store.releases).reply(true);
	}

	@Test
	void nextHolderWithoutRenewalGetsTheLeaseThatItRequested() {
		List<Acquisition<BlockingHandle>> line = new ArrayList<>();
		line.add(acquire(PATIENT));
		line.add(acquire(PATIENT.timeout(Duration.ofSeconds(5)).autoRenew(false)));
		line.add(acquire(PATIENT.timeout(Duration.ofSeconds(60)).autoRenew(false)));
		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		lock(line.get(0)).release();
		assertThat(line.get(1).outcome()).isNotDone();
		assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofMillis(5_250));
		last(this.store.renews).reply(true);
		assertThat(lock(line.get(1)).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(5)));

		lock(line.get(1)).release();
		assertThat(line.get(2).outcome()).isNotDone();
		assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofSeconds(63));
		last(this.store.renews).reply(true);
		assertThat(lock(line.get(2)).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(60)));
	}

	/**
	 * Further renewals do not help: the lease is as short as that of the renewal that may
	 * still reach the store.
	 */
	@Test
	void lockIsReleasedIfALostRenewalKeepsItsLeaseTooShort() {
		this.engine = engine(LockConfiguration.defaults().slice(Duration.ofHours(1)));
		Acquisition<BlockingHandle> first = acquire(PATIENT.timeout(Duration.ofSeconds(5)));
		Acquisition<BlockingHandle> next = acquire(PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		this.clock.advance(Duration.ofSeconds(2));
		lock(first).release();
		only(this.store.renews).loseReply();

		last(this.store.renews).reply(true);

		assertThat(this.store.renews).extracting(ScriptedStore.Question::duration)
			.containsExactly(Duration.ofMillis(5_250), Duration.ofMillis(31_500));
		assertThat(only(this.store.releases).requestId()).isEqualTo(this.store.acquires.get(0).requestId());
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(100));
		assertThat(lock(next).fencingToken()).isEqualTo(100);
		assertThat(lock(next).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)));
	}

	@Test
	void nextWaiterSendsANewRequestWhenTheHolderLosesTheLock() {
		List<Acquisition<BlockingHandle>> line = granted(line(2));
		this.clock.advance(Duration.ofSeconds(10));

		only(this.store.renews).reply(false);

		assertThat(lock(line.get(0)).isHeld()).isFalse();
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(100));
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(100);
		assertThat(lock(line.get(0)).release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(lock(line.get(1)).isHeld()).isTrue();
	}

	@Test
	void waitForALostLockEndsHalfASecondLateIfNoReplyArrives() {
		acquire(PATIENT.autoRenew(false));
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		Acquisition<BlockingHandle> next = acquire(PATIENT.waitTime(Duration.ofSeconds(31)));
		this.clock.advance(Duration.ofSeconds(30));
		assertThat(this.store.acquires).hasSize(2);

		this.clock.advance(Duration.ofMillis(1_499));
		assertThat(next.outcome()).isNotDone();
		this.clock.advance(Duration.ofMillis(1));

		assertOutage(next, true);
	}

	@Test
	void refusalDuringAMinimumHoldReturnsTheRestOfItSinceTheGrant() {
		Duration lease = Duration.ofMillis(31_500);

		assertThat(refusalAfterGrant(Duration.ofSeconds(2), lease)).satisfies((running) -> {
			assertThat(running.getRetryAfter()).isEqualTo(Duration.ofSeconds(3));
			assertThat(running).hasMessage("Lock 'order:42' not acquired: kept by other since 2025-12-31T23:59:58Z"
					+ " (atLeastFor); try again in 3s");
		});
		assertThat(refusalAfterGrant(Duration.ofSeconds(2), Duration.ofMillis(2_900)).getRetryAfter()).as("released")
			.isEqualTo(Duration.ofMillis(2_900));
		assertThat(refusalAfterGrant(Duration.ofSeconds(-9), lease).getRetryAfter()).as("the store's clock is ahead")
			.isEqualTo(Duration.ofSeconds(5));
		assertThat(refusalAfterGrant(Duration.ofSeconds(5), lease)).satisfies((late) -> {
			assertThat(late.getRetryAfter()).isNull();
			assertThat(late).hasMessageEndingWith("held by other since 2025-12-31T23:59:55Z, free in 31.5s if it died");
		});
	}

	private LockNotAcquiredException refusalAfterGrant(Duration granted, Duration freeIn) {
		long token = FencingTokens.next(this.clock.now().minus(granted), 0);
		Acquisition<BlockingHandle> caller = acquire(LockOptions.options().retry(0).atLeastFor(Duration.ofSeconds(5)));
		ScriptedStore.last(this.store.acquires)
			.reply(new AcquireReply.Held(LockState.of("order:42", "other/secret", freeIn, token, null, 0L, true, 1),
					false, false));
		return refusal(caller);
	}

	@Test
	void callersWithSpecialOptionsBypassTheLocalQueue() {
		line(2);

		acquire(PATIENT.owner("mine"));
		acquire(PATIENT.neverExpires());
		acquire(PATIENT.atLeastFor(Duration.ofSeconds(1)));
		acquire(PATIENT.waitTime(Duration.ZERO));

		assertThat(this.store.acquires).hasSize(5);
	}

	@Test
	void waitEndsHalfASecondLateIfTheLastReplyIsMissing() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		only(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.store.acquires).hasSize(2);

		this.clock.advance(Duration.ofMillis(2_499));
		assertThat(caller.outcome()).isNotDone();
		this.clock.advance(Duration.ofMillis(1));

		assertThat(caller.outcome())
			.isCompletedWithValueMatching((outcome) -> outcome instanceof AcquireOutcome.Refused<?> refused
					&& refused.waited().equals(Duration.ofMillis(3_500)) && refused.holder() != null);
		assertThat(only(this.store.withdraws).requestId()).isEqualTo(this.store.acquires.get(0).requestId());
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(this.listener.events).doesNotContain("acquired");
	}

	@Test
	void grantReceivedShortlyAfterTheWaitTimeIsAccepted() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		only(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofMillis(3_499));

		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(lock(caller).fencingToken()).isEqualTo(9);
	}

	@Test
	void waitEndingDuringARetryHasAnUnknownOutcome() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		only(this.store.acquires).reject();
		this.clock.advance(Duration.ofMillis(3_500));

		assertOutage(caller, true);
		assertThat(this.store.withdraws).hasSize(1);
	}

	@Test
	void requestRejectedByAFullStoreKeepsTheEarlierRefusal() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		only(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofSeconds(1));
		last(this.store.acquires).future().completeExceptionally(NOT_SENT);

		this.clock.advance(Duration.ofMillis(2_500));

		assertThat(caller.outcome()).isCompletedWithValueMatching(AcquireOutcome.Refused.class::isInstance);
	}

	@Test
	void manyWaitsEndInTimeIfTheStoreNoLongerReplies() {
		Set<String> refused = ConcurrentHashMap.newKeySet();
		this.store.onAcquire((request) -> refused.add(request.requestId())
				? CompletableFuture.completedFuture(new AcquireReply.Held(LockState.of(request.target().name(),
						"foreign", Duration.ofMinutes(10), null, null, 0L, true, 1), true, false))
				: new CompletableFuture<>());
		this.engine = new LockEngine(this.store, LockConfiguration.defaults().closeWait(Duration.ZERO));
		AcquireSettings settings = this.engine.settings(TARGET, PATIENT.waitTime(Duration.ofMillis(300)));

		List<CompletableFuture<AcquireOutcome<BlockingHandle>>> crowd = IntStream.range(0, 2_000)
			.mapToObj((number) -> this.calls.acquire(this.engine, LockTarget.of("job", number), settings).outcome())
			.toList();

		assertThat(crowd).allSatisfy((outcome) -> assertThat(outcome).succeedsWithin(Duration.ofSeconds(3))
			.isInstanceOf(AcquireOutcome.Refused.class));
	}

	@Test
	void callerWaitsForTheFirstReplyEvenAfterItsWaitTime() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(caller.outcome()).isNotDone();

		only(this.store.acquires).reply(TOLD);

		assertThat(caller.outcome()).isCompletedWithValueMatching(AcquireOutcome.Refused.class::isInstance);
	}

	@Test
	void requestsCarryTheRemainingWaitTimeAsSendTimeout() {
		List<AcquireRequest> asked = replyAllWith(TOLD);
		acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(asked).hasSize(2);
		assertThat(asked.get(0).attempt().sendTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(asked.get(0).attempt().first()).isTrue();
		long later = asked.get(1).attempt().askedAt() - asked.get(0).attempt().askedAt();
		assertThat(asked.get(1).attempt().sendTimeout()).isEqualTo(Duration.ofSeconds(3).minusNanos(later));
		assertThat(asked.get(1).attempt().first()).isFalse();
	}

	@Test
	void sendTimeoutIsTheRemainingWaitTimeOfTheMostPatientCaller() {
		List<AcquireRequest> asked = replyAllWith(TOLD);
		acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		acquire(PATIENT.waitTime(Duration.ofSeconds(5)));
		acquire(PATIENT.waitTime(Duration.ofSeconds(4)));

		this.clock.advance(Duration.ofSeconds(1));

		long later = asked.get(1).attempt().askedAt() - asked.get(0).attempt().askedAt();
		assertThat(asked.get(1).attempt().sendTimeout()).isEqualTo(Duration.ofSeconds(5).minusNanos(later));
	}

	@Test
	void unsentRequestIsNotWithdrawn() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofSeconds(3));

		only(this.store.acquires).future().completeExceptionally(NOT_SENT);

		assertOutage(caller, false);
		assertThat(this.store.withdraws).isEmpty();
	}

	@Test
	void pendingRequestOfATimedOutCallerServesTheOtherWaiters() {
		Acquisition<BlockingHandle> hasty = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		Acquisition<BlockingHandle> patient = acquire(PATIENT);
		only(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofMillis(3_500));

		assertThat(hasty.outcome()).isCompletedWithValueMatching(AcquireOutcome.Refused.class::isInstance);
		assertThat(this.store.withdraws).isEmpty();
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(lock(patient).fencingToken()).isEqualTo(9);
	}

	@Test
	void timedOutCallerStopsWaitingAtTheFirstReplyEvenBehindAnotherCaller() {
		Acquisition<BlockingHandle> patient = acquire(PATIENT);
		Acquisition<BlockingHandle> hasty = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(hasty.outcome()).isNotDone();

		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		assertThat(lock(patient).fencingToken()).isEqualTo(7);
		assertThat(hasty.outcome())
			.isCompletedWithValueMatching((outcome) -> outcome instanceof AcquireOutcome.Refused<?> refused
					&& refused.holder() != null && refused.holder().owner().equals(lock(patient).owner()));
	}

	@Test
	void timedOutCallerStopsWaitingAtAGrantThatIsTooShortForIt() {
		Acquisition<BlockingHandle> first = acquire(PATIENT);
		Acquisition<BlockingHandle> hasty = acquire(
				PATIENT.timeout(Duration.ofMinutes(1)).waitTime(Duration.ofSeconds(3)));
		acquire(PATIENT);
		first.cancel(new LockInterruptedException(TARGET));
		this.clock.advance(Duration.ofSeconds(10));

		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		this.clock.advance(Duration.ofNanos(1));

		assertThat(hasty.outcome()).isCompletedWithValueMatching(AcquireOutcome.Refused.class::isInstance);
	}

	@Test
	void waitDuringAYieldWithoutReplyEndsAtMostHalfASecondLate() {
		Acquisition<BlockingHandle> first = acquire(PATIENT);
		Acquisition<BlockingHandle> next = acquire(PATIENT.waitTime(Duration.ofSeconds(3)));
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		this.clock.advance(Duration.ofMillis(20));
		String owner = lock(first).owner();
		release(first);

		this.clock.advance(Duration.ofMillis(3_480));

		assertThat(next.outcome())
			.isCompletedWithValueMatching((outcome) -> outcome instanceof AcquireOutcome.Refused<?> refused
					&& refused.holder() != null && refused.holder().owner().equals(owner));
		assertThat(this.store.withdraws).hasSize(1);
	}

	@Test
	void lastCallerIsRefusedIfTheFirstOneMustWait() {
		LockOptions two = PATIENT.maxWaiters(2);
		List<Acquisition<BlockingHandle>> line = List.of(acquire(two), acquire(two), acquire(two));
		assertThat(line).noneMatch(Acquisition::isEnded);
		assertThat(acquire(two).isEnded()).isTrue();

		only(this.store.acquires).reply(TOLD);

		assertThat(line).extracting(Acquisition::isEnded).containsExactly(false, false, true);
		assertThat(refusal(line.get(2)).getWaitingCallers()).isEqualTo(2);
		this.store.handOver(only(this.store.acquires), 9);
		lock(line.get(0)).release();
		assertThat(lock(line.get(1)).fencingToken()).isEqualTo(10);
	}

	@Test
	void waiterTimedOutBeforeTheFirstReplyMakesRoomForTheLast() {
		LockOptions two = PATIENT.maxWaiters(2);
		acquire(two);
		Acquisition<BlockingHandle> impatient = acquire(two.waitTime(Duration.ofSeconds(1)));
		Acquisition<BlockingHandle> last = acquire(two);

		this.clock.advance(Duration.ofSeconds(2));
		assertThat(last.isEnded()).isFalse();
		only(this.store.acquires).reply(TOLD);

		assertThat(impatient.isEnded()).isTrue();
		assertThat(last.isEnded()).isFalse();
	}

	@Test
	void waiterThatLeavesMakesRoomForTheNext() {
		LockOptions one = PATIENT.maxWaiters(1);
		acquire(one);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		Acquisition<BlockingHandle> waiter = acquire(one);
		assertThat(acquire(one).isEnded()).isTrue();

		waiter.cancel(new LockInterruptedException(TARGET));

		assertThat(acquire(one).isEnded()).isFalse();
		assertThat(acquire(one).isEnded()).isTrue();
	}

	@Test
	void limitOfTheNewCallerApplies() {
		line(4);
		only(this.store.acquires).reply(TOLD);

		assertThat(refusal(acquire(PATIENT.maxWaiters(4))).getHolder()).isNotNull()
			.extracting(LockState::holder)
			.isEqualTo("other");
		assertThat(acquire(PATIENT.maxWaiters(5)).isEnded()).isFalse();
	}

	@Test
	void refusalEstimatesTheTimeUntilAllWaitersHaveHadTheLock() {
		List<Acquisition<BlockingHandle>> line = granted(line(15));
		hold(line.subList(0, 7), Duration.ofMillis(1));
		LockNotAcquiredException refusal = refusal(acquire(PATIENT.maxWaiters(4)));
		assertThat(refusal.getRetryAfter()).isNull();
		assertThat(refusal.getHolder()).isNotNull().returns(false, LockState::neverExpires);

		hold(line.subList(7, 8), Duration.ofMillis(1));

		assertThat(refusal(acquire(PATIENT.maxWaiters(4)))).satisfies((refused) -> {
			assertThat(refused.getRetryAfter()).isEqualTo(Duration.ofMillis(4));
			assertThat(refused).hasMessageEndingWith("; try again in about 4ms");
		});
		hold(line.subList(8, 9), Duration.ofMillis(9));
		assertThat(refusal(acquire(PATIENT.maxWaiters(4))).getRetryAfter()).isEqualTo(Duration.ofMillis(8));
	}

	@Test
	void turnsAreMeasuredEvenIfNoFurtherCallerWaits() {
		List<Acquisition<BlockingHandle>> line = granted(line(9));
		hold(line.subList(0, 8), Duration.ofMillis(1));
		Acquisition<BlockingHandle> holder = line.get(8);

		for (int turn = 0; turn < 10; turn++) {
			Acquisition<BlockingHandle> next = acquire(PATIENT);
			hold(List.of(holder), Duration.ofMillis(1));
			holder = next;
		}

		line(4);
		assertThat(refusal(acquire(PATIENT.maxWaiters(4))).getRetryAfter()).isEqualTo(Duration.ofMillis(4));
	}

	@Test
	void turnEndsWithItsReleaseIfNoCallerWaits() {
		List<Acquisition<BlockingHandle>> line = granted(line(9));
		hold(line.subList(0, 8), Duration.ofMillis(1));
		this.clock.advance(Duration.ofMillis(1));
		release(line.get(8));

		line(5);
		this.clock.advance(Duration.ofSeconds(10));
		last(this.store.acquires).reply(new AcquireReply.Granted(100));

		assertThat(refusal(acquire(PATIENT.maxWaiters(4))).getRetryAfter()).isEqualTo(Duration.ofMillis(4));
		only(this.store.releases).reply(true);
	}

	private void hold(List<Acquisition<BlockingHandle>> callers, Duration each) {
		for (Acquisition<BlockingHandle> caller : callers) {
			this.clock.advance(each);
			lock(caller).release();
		}
	}

	@Test
	void onlyRefusalsAtOnceAreCounted() {
		acquire(PATIENT);
		only(this.store.acquires).reply(TOLD);
		acquire(PATIENT.waitTime(Duration.ZERO));
		last(this.store.acquires).reply(TOLD);

		IntStream.range(0, 3).forEach((number) -> acquire(PATIENT.maxWaiters(1)));

		assertThat(this.engine.local().refusedAtOnce()).isEqualTo(3);
	}

	@Test
	void waitersAreCountedForTheLockForWhichTheyWait() {
		granted(line(3));
		acquire(LockTarget.allOf(TARGET, LockTarget.of("order:43")), PATIENT);
		acquire(LockTarget.of("order:43"), PATIENT);

		assertThat(this.engine.local().held()).singleElement().extracting(LocalLocks.Held::waiting).isEqualTo(3);
	}

	private static LockNotAcquiredException refusal(Acquisition<BlockingHandle> acquisition) {
		AcquireOutcome<BlockingHandle> outcome = acquisition.outcome().getNow(null);
		assertThat(outcome).isInstanceOf(AcquireOutcome.Refused.class);
		return ((AcquireOutcome.Refused<BlockingHandle>) outcome).failure(TARGET, null);
	}

	private static void assertOutage(Acquisition<BlockingHandle> acquisition, boolean outcomeUnknown) {
		assertThat(acquisition.outcome())
			.isCompletedWithValueMatching((outcome) -> outcome instanceof AcquireOutcome.Failed<?> failed
					&& failed.failure() instanceof LockStoreException outage
					&& outage.isOutcomeUnknown() == outcomeUnknown);
	}

	private List<AcquireRequest> replyAllWith(AcquireReply reply) {
		List<AcquireRequest> asked = new ArrayList<>();
		this.store.onAcquire((request) -> {
			asked.add(request);
			return CompletableFuture.completedFuture(reply);
		});
		return asked;
	}

	/**
	 * Let another instance hand the lock over to a caller.
	 */
	private Acquisition<BlockingHandle> handOver() {
		Acquisition<BlockingHandle> caller = acquire(PATIENT);
		only(this.store.acquires).reply(TOLD);
		this.store.handOver(only(this.store.acquires), 9);
		return caller;
	}

	private @Nullable String renewalFailure() {
		return this.engine.local().held().get(0).renewalFailure();
	}

	/**
	 * Grant the lock to the first of several callers.
	 */
	private List<Acquisition<BlockingHandle>> granted(List<Acquisition<BlockingHandle>> line) {
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		return line;
	}

	/**
	 * Return two callers, of which the first got the lock by a hand-over whose claim is
	 * about to expire.
	 */
	private List<Acquisition<BlockingHandle>> lineWithAClaimAboutToExpire() {
		List<Acquisition<BlockingHandle>> line = line(2);
		only(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofMillis(289));
		this.store.handOver(only(this.store.acquires), 9);
		this.clock.advance(Duration.ofMillis(1));
		return line;
	}

	private List<Acquisition<BlockingHandle>> line(int length) {
		List<Acquisition<BlockingHandle>> line = new ArrayList<>();
		for (int place = 0; place < length; place++) {
			line.add(acquire(PATIENT));
		}
		return line;
	}

	private Acquisition<BlockingHandle> acquire(LockOptions options) {
		return acquire(TARGET, options);
	}

	private Acquisition<BlockingHandle> acquire(LockTarget target, LockOptions options) {
		return this.calls.acquire(this.engine, target, this.engine.settings(target, options));
	}

	/**
	 * Release on another thread, because the store has to reply, and wait until the
	 * request is sent.
	 */
	private CompletableFuture<ReleaseOutcome> release(Acquisition<BlockingHandle> acquisition) {
		int before = this.store.releases.size();
		AtomicReference<Thread> releasing = new AtomicReference<>();
		CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(() -> lock(acquisition).release(),
				(task) -> releasing.set(OwnThread.start(task)));
		await().until(() -> this.store.releases.size() == before + 1);
		OwnThread.awaitRest(releasing.get());
		return released;
	}

	private LockEngine engine(LockConfiguration configuration) {
		return new LockEngine(this.store, configuration.timer(this.clock).listeners(List.of(this.listener)));
	}

	private static LockHandle lock(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
		return EngineCalls.lock(acquisition);
	}

}
