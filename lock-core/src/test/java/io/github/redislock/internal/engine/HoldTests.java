package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.testing.ClockThatIsSet;
import io.github.redislock.testing.LogRecorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.internal.engine.ScriptedStore.last;
import static io.github.redislock.internal.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A lease of 30 s is valid for 29.698 s, kept by the store for 31.5 s, and renewed after
 * 10 s.
 */
@Tag("promise-2")
class HoldTests {

	private final EngineCalls calls = new EngineCalls();

	private final List<BlockingHandle> handles = new ArrayList<>();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration VALIDITY = Duration.ofMillis(29_698);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final AtomicInteger losses = new AtomicInteger();

	private final List<Renewer> renewers = new ArrayList<>();

	private final List<EngineStore> stores = new ArrayList<>();

	@Test
	void validityIsCountedFromBeforeTheRequestWasSent() {
		long askedAt = this.timer.nanoTime();
		this.timer.advance(Duration.ofSeconds(1));

		Hold hold = hold(LockOptions.options().timeout(LEASE), askedAt);

		assertThat(hold.remaining()).isEqualTo(VALIDITY.minusSeconds(1));
	}

	@Test
	void leaseIsHeldUntilItsLastValidNanosecondAndNoLonger() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		this.timer.advance(VALIDITY.minusNanos(1));
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isEqualTo(Duration.ofNanos(1));
		assertThat(this.losses).hasValue(0);

		this.timer.advance(Duration.ofNanos(1));
		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		assertThat(this.losses).hasValue(1);
		assertThat(this.listener.events).containsExactly("lost");
		assertThat(this.store.renews).isEmpty();
	}

	@Test
	void leaseIsRenewedAfterAThirdOfItsLength() {
		hold(LockOptions.options().timeout(LEASE));

		this.timer.advance(Duration.ofSeconds(10).minusNanos(1));
		assertThat(this.store.renews).isEmpty();

		this.timer.advance(Duration.ofNanos(1));
		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofMillis(31_500));
		assertThat(only(this.store.renews).owner()).isEqualTo("me/secret");
	}

	@Test
	void retryOfAFailedRenewalDoesNotDependOnTheInterval() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).renewEvery(Duration.ofSeconds(15)));
		this.timer.advance(Duration.ofSeconds(15));
		last(this.store.renews).loseReply();

		this.timer.advance(Duration.ofMillis(1_500));
		last(this.store.renews).reply(true);

		assertThat(this.store.renews).hasSize(2);
		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void shortenedLeaseIsRenewedAfterAThirdIfItsIntervalIsTooLong() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).renewEvery(Duration.ofSeconds(15)));

		hold.renew(Duration.ofSeconds(9));
		last(this.store.renews).reply(true);
		this.timer.advance(Duration.ofSeconds(3).minusNanos(1));
		assertThat(this.store.renews).hasSize(1);
		this.timer.advance(Duration.ofNanos(1));
		assertThat(this.store.renews).hasSize(2);
		last(this.store.renews).reply(true);

		this.timer.advance(Duration.ofSeconds(14));
		assertThat(this.store.renews).hasSize(2);
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.store.renews).hasSize(3);
	}

	@Test
	void renewedLeaseCountsFromBeforeTheRenewalWasSent() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));

		this.timer.advance(Duration.ofSeconds(2));
		only(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(VALIDITY.minusSeconds(2));
		assertThat(this.listener.events).containsExactly("renewed");
	}

	@Test
	void renewalContinuesAsLongAsTheLockIsHeld() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		for (int i = 1; i <= 100; i++) {
			this.timer.advance(Duration.ofSeconds(10));
			assertThat(this.store.renews).hasSize(i);
			last(this.store.renews).reply(true);
		}

		assertThat(hold.isHeld()).isTrue();
		assertThat(this.losses).hasValue(0);
	}

	@Test
	void failedRenewalIsRetriedUntilTheLockIsLostAtItsDeadline() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));

		for (Duration at = Duration.ofSeconds(10); at.compareTo(VALIDITY) < 0; at = at.plusMillis(1_500)) {
			assertThat(hold.isHeld()).isTrue();
			last(this.store.renews).loseReply();
			Duration left = VALIDITY.minus(at);
			Duration pause = Duration.ofMillis(1_500);
			this.timer.advance((left.compareTo(pause) < 0) ? left : pause);
		}

		// At 10 s, then every 1.5 s (a twentieth of the lease) while it lasts.
		assertThat(this.store.renews).hasSize(14);
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
		assertThat(this.listener.events.subList(0, 14)).containsOnly("renewalFailed");
		assertThat(this.listener.events.subList(14, this.listener.events.size())).containsExactly("lost");
	}

	@Test
	void onlyASuccessfulExplicitRenewalClearsTheReportedFailure() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).loseReply();

		hold.renew();
		last(this.store.renews).loseReply();
		assertThat(hold.keeper().trouble()).isEqualTo("no reply");

		hold.extend(Duration.ofMinutes(10));
		last(this.store.renews).reply(true);
		assertThat(hold.keeper().trouble()).isNull();
	}

	@Test
	void onlyTheFirstOfSeveralFailedRenewalsIsLoggedAsAWarning() {
		hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));

		try (LogRecorder log = LogRecorder.debugOf(Renewal.class.getName())) {
			last(this.store.renews).loseReply();
			this.timer.advance(Duration.ofMillis(1_500));
			last(this.store.renews).loseReply();
			this.timer.advance(Duration.ofMillis(1_500));
			last(this.store.renews).reply(true);

			String failure = "Could not renew lock 'order:42' (%s left on its lease, fencing token 7): no reply";
			assertThat(log.lines()).containsExactly(
					"WARN " + failure.formatted("19.6s") + ". Retrying until the lease ends",
					"DEBUG " + failure.formatted("18.1s"), "INFO Lock 'order:42' is renewed again, fencing token 7");
		}
	}

	@Test
	void refusedRenewalDoesNotClearTheReportedFailure() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).loseReply();

		hold.renew();
		last(this.store.renews).reply(false);

		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.keeper().trouble()).isEqualTo("no reply");
	}

	@Test
	void pendingRenewalNeitherDelaysTheLossNorRevivesTheLock() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(VALIDITY);
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);

		only(this.store.renews).reply(true);
		this.timer.advance(Duration.ofSeconds(1));

		assertThat(hold.isHeld()).isFalse();
		assertThat(this.store.renews).hasSize(1);
		assertThat(this.listener.events).containsExactly("lost");
	}

	@Test
	void refusedRenewalReportsLossImmediately() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));

		only(this.store.renews).reply(false);

		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
		assertThat(this.listener.events).containsExactly("lost");
		this.timer.advance(LEASE);
		assertThat(this.store.renews).hasSize(1);
		assertThat(this.listener.events).containsExactly("lost");
	}

	@Test
	void lossReportsSinceWhenWorkMayHaveBeenUnprotected() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).reply(true);
		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).reply(true);
		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).reply(false);

		LockLostException lost = hold.lossAsException();

		// The lock was certainly held at 20 s, when the last confirmed renewal was sent.
		assertThat(lost.getUnprotected()).isEqualTo(Duration.ofSeconds(10));
		assertThat(lost.getReason()).isEqualTo("the store no longer knows this holder (for example, the lock"
				+ " was released by force, deleted or evicted, or the store lost its data)");
	}

	@Test
	void lossByExpiryReportsHowLongAgoTheLeaseEnded() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		this.timer.advance(VALIDITY.plusMillis(340));

		assertThat(hold.lossAsException().getUnprotected()).isEqualTo(Duration.ofMillis(340));
		assertThat(hold.lossAsException().getReason())
			.isEqualTo("its lease ran out and no renewal was confirmed in time");
	}

	@ParameterizedTest
	@ValueSource(strings = { "confirmed", "refused", "lost", "late" })
	void releaseWaitsBrieflyForAPendingRenewalAndOnlyTheReleaseIsReported(String reply) {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));

		CompletableFuture<ReleaseOutcome> released = hold.release();
		this.timer.advance(Duration.ofMillis(99));
		assertThat(this.store.releases).isEmpty();
		switch (reply) {
			case "confirmed" -> only(this.store.renews).reply(true);
			case "refused" -> only(this.store.renews).reply(false);
			case "lost" -> only(this.store.renews).loseReply();
			default -> this.timer.advance(Duration.ofMillis(1));
		}
		only(this.store.releases).reply(true);
		this.timer.advance(LEASE);

		assertThat(released).isCompletedWithValue(ReleaseOutcome.RELEASED);
		assertThat(this.store.renews).hasSize(1);
		assertThat(this.losses).hasValue(0);
		assertThat(this.listener.events).containsExactly("released RELEASED");
	}

	@Test
	void releaseReachingTheStoreAfterTheLeaseReportsNoLoss() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(VALIDITY.minusMillis(1));

		CompletableFuture<ReleaseOutcome> released = hold.release();
		this.timer.advance(Duration.ofSeconds(2));
		only(this.store.releases).reply(false);

		assertThat(released).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
		assertThat(this.listener.events).containsExactly("released UNKNOWN");
	}

	@Test
	void lostLockIsKeptForItsMinimumTime() {
		Hold hold = hold(LockOptions.options()
			.timeout(Duration.ofSeconds(5))
			.autoRenew(false)
			.atLeastFor(Duration.ofMinutes(1)));
		this.timer.advance(Duration.ofSeconds(20));

		hold.release();

		assertThat(only(this.store.releases).duration()).isEqualTo(Duration.ofSeconds(40));
	}

	@Test
	void lossActionDoesNotRunAfterItsEntryWasReleased() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		AtomicInteger told = new AtomicInteger();
		BlockingHandle inner = this.calls.enterAgain(hold, hold.target());
		assertThat(inner).isNotNull();
		inner.onLost(told::incrementAndGet);
		inner.release();
		inner.onLost(told::incrementAndGet);

		this.timer.advance(LEASE);

		assertThat(this.losses).hasValue(1);
		assertThat(told).hasValue(0);
	}

	@Test
	void entryThatEndsBeforeALaterOneDoesNotReleaseTheLock() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		BlockingHandle later = this.calls.enterAgain(hold, hold.target());
		assertThat(later).isNotNull();

		this.handles.get(0).leave();
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.store.releases).isEmpty();
		later.leave();

		assertThat(this.store.releases).hasSize(1);
	}

	@Test
	void lossBeforeTheHoldIsWatchedIsNoticed() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		AtomicInteger over = new AtomicInteger();

		hold.terms().lease().refuse();
		hold.watch(over::incrementAndGet);

		assertThat(this.losses).hasValue(1);
		assertThat(over).hasValue(1);
	}

	@Test
	void lockIsNoLongerHeldOnceItsReleaseWasSent() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.release();

		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		assertThat(hold.outcome()).isNotDone();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void longerLeaseCountsOnlyOnceItIsConfirmed(boolean confirmed) {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		CompletableFuture<Void> renewal = hold.renew(Duration.ofSeconds(100)).toCompletableFuture();
		assertThat(hold.remaining()).isEqualTo(VALIDITY);
		if (confirmed) {
			only(this.store.renews).reply(true);
		}
		else {
			only(this.store.renews).loseReply();
		}

		assertThat(renewal).isDone();
		assertThat(hold.remaining()).isEqualTo(confirmed ? Duration.ofMillis(98_998) : VALIDITY);
	}

	@Test
	void shorterLeaseCountsFromTheMomentItIsSent() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.renew(Duration.ofSeconds(10));

		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(9_898));
	}

	@Test
	void shorterLeaseWithUnknownOutcomeIsTrusted() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		hold.renew(Duration.ofSeconds(10));
		only(this.store.renews).loseReply();
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(9_898));

		this.timer.advance(Duration.ofMillis(9_898));
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
	}

	@Test
	void onlyTheShorterLeaseIsTrustedWhileItsRequestMayArriveLate() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(2));

		hold.renew(Duration.ofSeconds(6));
		last(this.store.renews).loseReply();
		for (int i = 2; i < 20; i++) {
			this.timer.advance(Duration.ofSeconds(2));
			assertThat(this.store.renews).hasSize(i);
			assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofMillis(31_500));
			last(this.store.renews).reply(true);
			assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(5_938));
		}
	}

	@Test
	void longerLeaseIsNotTrustedWhileARenewalMayArriveLate() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));
		only(this.store.renews).loseReply();

		hold.renew(Duration.ofMinutes(10));
		last(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void definitelyRefusedShorterLeaseIsIgnored() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.renew(Duration.ofSeconds(6));
		last(this.store.renews).reject();
		this.timer.advance(Duration.ofSeconds(2));
		last(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void shorterLeaseLastsUntilTheNextAutomaticRenewal() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(Duration.ofSeconds(6));
		last(this.store.renews).reply(true);

		this.timer.advance(Duration.ofSeconds(2));
		last(this.store.renews).reply(true);

		assertThat(this.store.renews).hasSize(2);
		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void repeatedExtensionsDoNotAccumulateTheSafetyMargin() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		for (int i = 0; i < 7; i++) {
			hold.extend(Duration.ofSeconds(10));
			last(this.store.renews).reply(true);
		}

		assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofSeconds(105));
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(98_998));
	}

	@Test
	void concurrentExtensionsAddUp() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		hold.extend(Duration.ofSeconds(10));
		hold.extend(Duration.ofSeconds(60));
		this.store.renews.get(0).reply(true);
		last(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(98_998));
	}

	@Test
	void leaseChangesAreSentOneAtATime() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		hold.renew(Duration.ofSeconds(10));
		CompletionStage<Void> second = hold.renew(Duration.ofSeconds(100));

		// On several connections, the second renewal could overtake the first. We would
		// then rely on 100 s, while the store keeps the lock for 10 s.
		assertThat(this.store.renews).hasSize(1);
		this.timer.advance(Duration.ofSeconds(1));
		this.store.renews.get(0).reply(true);
		assertThat(this.store.renews).hasSize(2);
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(8_898));
		this.store.renews.get(1).reply(true);
		assertThat(second.toCompletableFuture()).isCompleted();
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(98_998));
	}

	@Test
	void leaseChangeIsSentAfterAFailedOne() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		CompletionStage<Void> first = hold.renew(Duration.ofSeconds(60));
		CompletionStage<Void> second = hold.renew(Duration.ofSeconds(100));

		this.store.renews.get(0).loseReply();
		this.store.renews.get(1).reply(true);

		assertThat(first.toCompletableFuture()).isCompletedExceptionally();
		assertThat(second.toCompletableFuture()).isCompleted();
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(59_398));
	}

	@Test
	void queuedLeaseChangeIsNotSentAfterTheRelease() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		hold.renew(Duration.ofSeconds(60));
		CompletableFuture<Void> second = StoreReplies.relay(TARGET, () -> hold.renew(Duration.ofSeconds(100)),
				Runnable::run);

		hold.release();
		this.store.renews.get(0).reply(true);

		assertThat(this.store.renews).hasSize(1);
		assertThat(second).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("Lock 'order:42' was released");
	}

	@Test
	void leaseChangesAreSentOneAtATimeAfterAnAutomaticRenewal() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(Duration.ofSeconds(10));
		hold.renew(Duration.ofSeconds(10));
		this.store.renews.get(0).reply(true);

		hold.renew(Duration.ofSeconds(100));

		assertThat(this.store.renews).hasSize(2);
		this.store.renews.get(1).reply(true);
		assertThat(this.store.renews).hasSize(3);
	}

	@Test
	void renewalThatIsDueDuringALeaseChangeIsSentAfterIt() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(LEASE);

		this.timer.advance(Duration.ofSeconds(10));
		assertThat(this.store.renews).hasSize(1);
		last(this.store.renews).reply(true);
		assertThat(this.store.renews).hasSize(2);
		last(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void renewalThatIsDueDuringALeaseChangeIsNotSentAfterTheRelease() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(LEASE);
		this.timer.advance(Duration.ofSeconds(10));

		hold.release();
		only(this.store.renews).reply(true);

		assertThat(this.store.renews).hasSize(1);
		assertThat(this.store.releases).hasSize(1);
	}

	@Test
	void releaseWithMinimumTimeWaitsForAPendingRenewal() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(20)));
		this.timer.advance(Duration.ofSeconds(10));

		// A renewal that overtook the release would keep the lock held for a whole lease.
		hold.release();
		assertThat(this.store.releases).isEmpty();
		only(this.store.renews).reply(true);

		assertThat(only(this.store.releases).duration()).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void lostLockWithMinimumTimeIsReleasedAfterAPendingRenewal() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(60)));
		this.timer.advance(LEASE);
		assertThat(this.losses).hasValue(1);

		hold.release();
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.store.releases).isEmpty();
		assertThat(this.stores.get(0).settled()).as("a close waits").isNotDone();
		only(this.store.renews).loseReply();

		assertThat(only(this.store.releases).duration()).isEqualTo(Duration.ofSeconds(29));
	}

	@Test
	void automaticRenewalNeverShortensAnExplicitExtension() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.extend(Duration.ofSeconds(270));
		last(this.store.renews).reply(true);

		this.timer.advance(Duration.ofSeconds(100));
		assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofSeconds(210));
		last(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(197_998));
	}

	@Test
	void renewalRestartsTheOriginalLease() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(Duration.ofSeconds(20));

		hold.renew();
		only(this.store.renews).reply(true);

		assertThat(hold.remaining()).isEqualTo(VALIDITY);
	}

	@Test
	void renewalOfALostLockFails() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		CompletionStage<Void> renewal = hold.renew(Duration.ofSeconds(60));
		only(this.store.renews).reply(false);

		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> renewal.toCompletableFuture().join())
			.withCauseInstanceOf(LockLostException.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(hold::renew);
	}

	@Test
	void renewalConfirmedOnlyAfterTheDeadlineReportsLoss() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));

		CompletionStage<Void> renewal = hold.renew(Duration.ofSeconds(60));
		this.timer.advance(VALIDITY);
		only(this.store.renews).reply(true);

		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> renewal.toCompletableFuture().join())
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void lockThatNeverExpiresNeedsNoRenewal() {
		Hold hold = hold(LockOptions.options().neverExpires());

		assertThat(hold.remaining()).isEqualTo(ChronoUnit.FOREVER.getDuration());
		assertThatIllegalStateException().isThrownBy(() -> hold.extend(LEASE))
			.withMessage("Lock 'order:42' never expires: its lease cannot be changed");
		this.timer.advance(Duration.ofDays(1_000));
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.store.renews).isEmpty();
	}

	@Test
	@Tag("promise-locks-without-end")
	void lockThatNeverExpiresIsVerifiedEveryHalfMinute() {
		Hold hold = hold(LockOptions.options().neverExpires());

		for (int looks = 1; looks <= 10; looks++) {
			this.timer.advance(Duration.ofSeconds(30));
			assertThat(this.store.inspects).hasSize(looks);
			last(this.store.inspects).reply(endlessHold());
		}
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.listener.events).isEmpty();
		this.timer.advance(Duration.ofSeconds(30));
		last(this.store.inspects).reply(Optional.empty());

		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
		assertThat(this.listener.events).containsExactly("lost");
	}

	@Test
	@Tag("promise-locks-without-end")
	void missingStoreReplyDoesNotLoseANonExpiringLock() {
		Hold hold = hold(LockOptions.options().neverExpires());
		this.timer.advance(Duration.ofSeconds(30));

		for (int i = 1; i < 100; i++) {
			assertThat(this.store.inspects).hasSize(i);
			last(this.store.inspects).loseReply();
			assertThat(hold.keeper().trouble()).isEqualTo("no reply");
			this.timer.advance(Duration.ofMillis(1_500));
		}

		assertThat(hold.isHeld()).isTrue();
		assertThat(this.listener.events).isEmpty();
		last(this.store.inspects).reply(Optional.empty());
		assertThat(this.losses).hasValue(1);
	}

	@Test
	void laterReplyEndsTheTroubleOfANonExpiringLock() {
		Hold hold = hold(LockOptions.options().neverExpires());
		this.timer.advance(Duration.ofSeconds(30));
		last(this.store.inspects).loseReply();
		this.timer.advance(Duration.ofMillis(1_500));
		assertThat(hold.keeper().trouble()).isEqualTo("no reply");

		last(this.store.inspects).reply(endlessHold());

		assertThat(hold.keeper().trouble()).isNull();
	}

	@Test
	void leaseThatEndedDuringASuspensionIsNotTrusted() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofSeconds(1));

		clock.set(VALIDITY.minusSeconds(1));

		assertThat(hold.isHeld()).isFalse();
		assertThat(hold.remaining()).isZero();
		this.timer.advance(Duration.ofMillis(1));
		only(this.store.renews).reply(false);
		assertThat(this.losses).hasValue(1);
		assertThat(this.listener.events).containsExactly("lost");
	}

	@Test
	void lockWithoutAReplyAfterASuspensionIsLostAtTheEndOfItsLease() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofSeconds(1));
		clock.set(LEASE);
		assertThat(hold.isHeld()).isFalse();

		this.timer.advance(VALIDITY.minusSeconds(1).minusNanos(1));
		assertThat(this.losses).hasValue(0);
		this.timer.advance(Duration.ofNanos(1));

		assertThat(this.losses).hasValue(1);
	}

	@Test
	void leaseThatEndedDuringManySuspensionsIsNotTrusted() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofMillis(1));

		for (int suspension = 0; suspension < 100; suspension++) {
			assertThat(hold.isHeld()).isTrue();
			clock.set(VALIDITY.dividedBy(100).plusMillis(1));
		}

		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void settingTheClockAheadDoesNotLoseTheLock() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofSeconds(1));

		clock.set(Duration.ofDays(365));
		assertThat(hold.isHeld()).isFalse();
		this.timer.advance(Duration.ofMillis(1));
		last(this.store.renews).loseReply();
		this.timer.advance(Duration.ofMillis(1_500));
		assertThat(this.store.renews).hasSize(2);
		last(this.store.renews).reply(true);

		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.remaining()).isEqualTo(VALIDITY);
		assertThat(this.losses).hasValue(0);
		clock.set(Duration.ofDays(-365));
		assertThat(hold.isHeld()).isTrue();
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.store.renews).hasSize(2);
	}

	@Test
	void settingTheClockSlightlyAheadShortensTheLeaseAndAdvancesTheRenewal() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofSeconds(1));

		clock.set(Duration.ofSeconds(5));

		assertThat(hold.remaining()).isEqualTo(VALIDITY.minusSeconds(6));
		this.timer.advance(Duration.ofMillis(3_999));
		assertThat(hold.isHeld()).isTrue();
		assertThat(this.store.renews).isEmpty();
		this.timer.advance(Duration.ofMillis(1));
		assertThat(this.store.renews).hasSize(1);
	}

	@Test
	void verifyAfterASuspensionSendsARenewalEvenWithoutAutoRenewal() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false), clock, this.timer.nanoTime());
		this.timer.advance(Duration.ofSeconds(10));

		clock.set(LEASE);
		CompletionStage<Boolean> verified = hold.verify();
		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofSeconds(21));
		only(this.store.renews).reply(true);

		assertThat(verified.toCompletableFuture()).isCompletedWithValue(true);
		assertThat(hold.remaining()).isEqualTo(Duration.ofMillis(19_798));
		this.timer.advance(Duration.ofMillis(19_798));
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
	}

	@ParameterizedTest
	@CsvSource({ "me/secret, true", "other/secret, false" })
	void verificationKeepsTheLockOrReportsItsLoss(String owner, boolean held) {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		CompletionStage<Boolean> verified = hold.verify();
		only(this.store.inspects).reply(Optional.of(LockState.of("order:42", owner, LEASE, 7L, null, 0L, true, 1)));

		assertThat(verified.toCompletableFuture()).isCompletedWithValue(held);
		assertThat(hold.remaining()).isEqualTo(held ? VALIDITY : Duration.ZERO);
		assertThat(this.losses).hasValue(held ? 0 : 1);
	}

	@Test
	void verificationWithoutAReplyFailsAndKeepsTheLock() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		CompletionStage<Boolean> verified = hold.verify();
		only(this.store.inspects).loseReply();

		assertThat(verified.toCompletableFuture()).isCompletedExceptionally();
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void verificationOvertakenByTheReleaseReportsNoLoss() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.verify();
		hold.release();
		only(this.store.inspects).reply(Optional.empty());
		only(this.store.releases).reply(true);

		assertThat(this.losses).hasValue(0);
		assertThat(this.listener.events).containsExactly("released RELEASED");
	}

	@Test
	void verificationOfALostLockNeedsNoStoreRequest() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(LEASE);

		assertThat(hold.verify().toCompletableFuture()).isCompletedWithValue(false);

		assertThat(this.store.log).isEmpty();
	}

	@Test
	void lockIsCheckedWhenThePauseAfterAnInterruptionIsOver() {
		this.timer.advance(LEASE);
		hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(Duration.ofSeconds(1));
		this.renewers.get(0).forEach((renewed) -> renewed.checkIn(Duration.ofMillis(70)));

		this.timer.advance(Duration.ofMillis(70).minusNanos(1));
		assertThat(this.store.inspects).isEmpty();
		this.timer.advance(Duration.ofNanos(1));
		assertThat(this.store.inspects).hasSize(1);
	}

	@Test
	void checkAfterAnInterruptionDoesNotPostponeTheRenewalsOfTheNextHolder() {
		Hold first = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(Duration.ofMillis(1));
		this.renewers.get(0).forEach((renewed) -> renewed.checkIn(Duration.ZERO));
		this.timer.advance(Duration.ofMillis(1));
		only(this.store.inspects)
			.reply(Optional.of(LockState.of("order:42", first.owner(), LEASE, 7L, 7L, 0L, true, 1)));

		((Tenure) first.keeper())
			.begin(AcquireSettings.of(LockOptions.options().timeout(LEASE), LockOptions.defaults(), null),
					new HoldMonitor(null, Duration.ofMinutes(1)), this.listener, Runnable::run)
			.watch(() -> {
			});
		this.timer.advance(LEASE.dividedBy(3));

		assertThat(this.store.renews).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void forcedReleaseNoticeIsCheckedUntilTheStoreReplies(boolean expires) {
		Hold hold = hold(
				expires ? LockOptions.options().timeout(LEASE).autoRenew(false) : LockOptions.options().neverExpires());

		hold.keeper().takenByForce();
		for (int i = 1; i < 10; i++) {
			assertThat(this.store.inspects).hasSize(i);
			last(this.store.inspects).loseReply();
			this.timer.advance(Duration.ofMillis(1_500));
			assertThat(hold.isHeld()).isFalse();
			assertThat(this.losses).hasValue(0);
		}
		last(this.store.inspects).reply(Optional.empty());

		assertThat(this.losses).hasValue(1);
	}

	@Test
	void forcedReleaseNoticeOfAShortLeaseIsCheckedAgainSooner() {
		Hold hold = hold(LockOptions.options().timeout(Duration.ofSeconds(4)).autoRenew(false));

		hold.keeper().takenByForce();
		last(this.store.inspects).loseReply();
		this.timer.advance(Duration.ofMillis(200));

		assertThat(this.store.inspects).hasSize(2);
	}

	@Test
	void forcedLossReportsItsTimeAndTheUnprotectedPeriod() {
		Hold hold = hold(LockOptions.options().neverExpires());
		this.timer.advance(Duration.ofDays(3));
		// The last look at the lock.
		last(this.store.inspects).loseReply();
		Instant told = this.timer.now();

		hold.keeper().takenByForce();
		last(this.store.inspects).loseReply();
		this.timer.advance(Duration.ofMillis(1_500));
		last(this.store.inspects).reply(Optional.empty());

		assertThat(hold.lossAsException().getReason()).isEqualTo("it was released by force, as reported at " + told);
		assertThat(hold.lossAsException().getUnprotected()).isEqualTo(Duration.ofDays(3).plusMillis(1_500));
	}

	@Test
	void forcedReleaseNoticeIsCheckedDuringARenewal() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.timer.advance(LEASE.dividedBy(3));

		hold.keeper().takenByForce();

		assertThat(this.store.inspects).hasSize(1);
		// This reply may be older than the message.
		only(this.store.renews).reply(true);
		assertThat(hold.isHeld()).isFalse();
		only(this.store.inspects)
			.reply(Optional.of(LockState.of("order:42", hold.owner(), LEASE, 7L, null, 0L, true, 1)));
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void forcedReleaseNoticeIsDroppedIfTheLockIsStillHeld() {
		Hold hold = hold(LockOptions.options().neverExpires());

		hold.keeper().takenByForce();
		last(this.store.inspects).reply(endlessHold());
		this.timer.advance(Duration.ofSeconds(25));

		assertThat(this.store.inspects).hasSize(1);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void forcedReleaseNoticeIsNotCheckedAfterTheRelease() {
		Hold hold = hold(LockOptions.options().neverExpires());

		hold.keeper().takenByForce();
		last(this.store.inspects).loseReply();
		hold.release();
		this.timer.advance(Duration.ofMinutes(1));

		assertThat(this.store.inspects).hasSize(1);
	}

	@Test
	void releaseThatTheStoreRefusesReportsLoss() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		CompletableFuture<ReleaseOutcome> released = hold.release();
		only(this.store.releases).reply(false);

		assertThat(released).isCompletedWithValue(ReleaseOutcome.NOT_HELD);
		assertThat(this.listener.events).containsExactly("lost", "released NOT_HELD");
		// The work is over, so there is nothing to interrupt.
		assertThat(this.losses).hasValue(0);
	}

	@Test
	void releaseAfterALossFreesTheLockTheStoreMayStillKeep() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(VALIDITY);

		CompletableFuture<ReleaseOutcome> released = hold.release();

		assertThat(released).isCompletedWithValue(ReleaseOutcome.NOT_HELD);
		assertThat(only(this.store.releases).duration()).isZero();
		assertThat(this.listener.events).containsExactly("lost", "released NOT_HELD");
	}

	@Test
	void unconfirmedReleaseIsRetriedUntilItIsConfirmed() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		CompletableFuture<ReleaseOutcome> released = hold.release();
		last(this.store.releases).loseReply();
		assertThat(released).isCompletedWithValue(ReleaseOutcome.UNKNOWN);

		assertThat(this.store.releases).hasSize(2);
		last(this.store.releases).loseReply();
		this.timer.advance(Duration.ofMillis(50));
		last(this.store.releases).loseReply();
		this.timer.advance(Duration.ofMillis(100));
		assertThat(this.store.releases).hasSize(4);
		last(this.store.releases).reply(true);
		this.timer.advance(LEASE);
		assertThat(this.store.releases).hasSize(4);
		assertThat(this.listener.events).containsExactly("released UNKNOWN");
	}

	@Test
	void unconfirmedReleaseIsNoLongerRetriedAfterTheLease() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.release();

		loseRepliesToReleases();

		assertThat(this.store.releases).hasSize(releasesWithin(31_500));
	}

	@Test
	void unconfirmedReleaseIsRetriedForALeaseWithoutAReply() {
		// The clock must not be at zero.
		this.timer.advance(LEASE);
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(Duration.ofSeconds(60));
		last(this.store.renews).loseReply();
		hold.release();

		loseRepliesToReleases();

		assertThat(this.store.releases).hasSize(releasesWithin(63_000));
		assertThat(this.store.released.get(0).timeToLive()).isEqualTo(Duration.ofSeconds(63));
	}

	@Test
	void unconfirmedReleaseIsNotRetriedForARefusedLease() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(Duration.ofSeconds(60));
		last(this.store.renews).reject();
		hold.release();

		loseRepliesToReleases();

		assertThat(this.store.releases).hasSize(releasesWithin(31_500));
	}

	@Test
	void unconfirmedReleaseIsRetriedForALeaseThatGetsNoReplyAfterIt() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		hold.renew(Duration.ofSeconds(60));
		hold.release();
		this.timer.advance(Duration.ofMillis(100));
		last(this.store.releases).loseReply();
		assertThat(this.store.releases).hasSize(1);
		last(this.store.renews).loseReply();

		loseRepliesToReleases();

		// The lease began 100 ms before the first release.
		assertThat(this.store.releases).hasSize(releasesWithin(62_895));
	}

	@Test
	void releaseOfANonExpiringLockIsRetriedForADayPlusGrace() {
		Hold hold = hold(LockOptions.options().neverExpires());
		hold.release();
		last(this.store.releases).loseReply();

		for (int hour = 1; hour <= 30; hour++) {
			int before = this.store.releases.size();
			last(this.store.releases).loseReply();
			this.timer.advance(Duration.ofHours(1));
			// As for every lease, a twentieth is added as grace period.
			assertThat(this.store.releases.size() > before).as("after %d hours", hour).isEqualTo(hour <= 26);
		}
	}

	@Test
	void permanentlyRefusedReleaseIsRetriedOnce() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.release();
		last(this.store.releases).refuseForGood();
		last(this.store.releases).refuseForGood();
		this.timer.advance(LEASE);

		assertThat(hold.outcome()).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
		assertThat(this.store.releases).hasSize(2);
	}

	@ParameterizedTest
	@CsvSource({ "2, 3", "6, 0" })
	void lockIsKeptForTheRestOfItsMinimumTime(long held, long rest) {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(5)));
		this.timer.advance(Duration.ofSeconds(held));

		hold.release();

		assertThat(only(this.store.releases).duration()).isEqualTo(Duration.ofSeconds(rest));
	}

	@Test
	void retriedReleaseDoesNotProlongTheMinimumTime() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(5)));

		hold.release();
		this.timer.advance(Duration.ofSeconds(2));
		last(this.store.releases).loseReply();

		assertThat(last(this.store.releases).duration()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void renewalWithoutAReplyDoesNotProlongTheMinimumTime() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(20)));
		this.timer.advance(Duration.ofSeconds(10));

		hold.release();
		only(this.store.renews).loseReply();
		only(this.store.releases).reply(true);
		this.timer.advance(Duration.ofSeconds(20));

		assertThat(this.store.releases).hasSize(2);
		assertThat(last(this.store.releases).duration()).isZero();
	}

	@Test
	void lockIsReleasedOnceIfItsRenewalsGotReplies() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(20)));
		this.timer.advance(Duration.ofSeconds(10));
		only(this.store.renews).reply(true);

		hold.release();
		only(this.store.releases).reply(true);
		this.timer.advance(Duration.ofSeconds(20));

		assertThat(this.store.releases).hasSize(1);
	}

	@Test
	void renewalKeepsTheLockAtLeastForItsMinimumTime() {
		hold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofMinutes(10)));

		this.timer.advance(Duration.ofSeconds(10));

		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofSeconds(590));
	}

	@Test
	void requestThatMayArriveLateIsWithdrawnAfterTheConfirmedRelease() {
		Hold hold = lateHold(LockOptions.options().timeout(LEASE));

		CompletableFuture<ReleaseOutcome> released = hold.release();
		last(this.store.releases).loseReply();
		assertThat(this.store.withdraws).isEmpty();
		last(this.store.releases).reply(true);

		assertThat(only(this.store.withdraws).requestId()).isEqualTo("request-1");
		assertThat(released).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
	}

	@Test
	void requestThatMayArriveLateIsWithdrawnAfterALoss() {
		Hold hold = lateHold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(LEASE);

		hold.release();
		last(this.store.releases).reply(false);

		assertThat(this.store.withdraws).hasSize(1);
	}

	@Test
	void withdrawalOfALateRequestRespectsTheMinimumTime() {
		Hold hold = lateHold(LockOptions.options().timeout(LEASE).atLeastFor(Duration.ofSeconds(10)));
		this.timer.advance(Duration.ofSeconds(4));

		hold.release();
		only(this.store.releases).reply(true);
		last(this.store.withdraws).loseReply();
		this.timer.advance(Duration.ofSeconds(1));
		last(this.store.withdraws).reply(null);

		assertThat(this.store.withdraws.get(0).duration()).isEqualTo(Duration.ofSeconds(6));
		assertThat(last(this.store.withdraws).duration()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
	}

	@Test
	void requestWithAReplyIsNotWithdrawn() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));

		hold.release();
		only(this.store.releases).reply(true);

		assertThat(this.store.withdraws).isEmpty();
	}

	@Test
	void lossActionRunsImmediatelyIfTheLockIsAlreadyLost() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		this.timer.advance(LEASE);

		hold.onLost(this.losses::incrementAndGet);

		assertThat(this.losses).hasValue(2);
	}

	@Test
	void reentryAfterTheFinalReleaseStartedIsRefused() {
		List<@Nullable BlockingHandle> entered = new ArrayList<>();
		HookedTimer hooked = new HookedTimer(this.timer);
		Hold hold = hold(LockOptions.options().timeout(LEASE), hooked, this.timer.nanoTime());

		// Another thread releases the handle while its owner reenters the lock.
		hooked.onNextLook(() -> entered.add(this.calls.enterAgain(hold, hold.target())));
		this.handles.get(0).leave();

		assertThat(entered).containsOnlyNulls();
	}

	@Test
	void handleReleasedAfterItsHoldReturnsTheSameOutcome() {
		Hold hold = hold(LockOptions.options().timeout(LEASE));
		this.calls.enterAgain(hold, hold.target());
		hold.release();

		CompletableFuture<ReleaseOutcome> inner = this.handles.get(0).leave();
		only(this.store.releases).reply(true);

		assertThat(inner).isCompletedWithValue(ReleaseOutcome.RELEASED);
	}

	@Test
	void leaseIsMeasuredCorrectlyWhenTheClockOverflows() {
		HookedTimer hooked = new HookedTimer(this.timer, Long.MAX_VALUE - Duration.ofSeconds(15).toNanos());
		Hold hold = hold(LockOptions.options().timeout(LEASE), hooked, hooked.nanoTime());

		this.timer.advance(Duration.ofSeconds(10));
		last(this.store.renews).reply(true);
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(hold.remaining()).isEqualTo(VALIDITY.minusSeconds(10));
		this.timer.advance(VALIDITY.minusSeconds(10));

		assertThat(this.store.renews).hasSize(2);
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.losses).hasValue(1);
	}

	@Test
	void throwingLossActionDoesNotPreventOtherNotifications() {
		Hold hold = hold(LockOptions.options().timeout(LEASE).autoRenew(false));
		hold.onLost(() -> {
			throw new IllegalStateException("test");
		});
		hold.onLost(this.losses::incrementAndGet);

		this.timer.advance(LEASE);

		assertThat(this.losses).hasValue(2);
		assertThat(this.listener.events).containsExactly("lost");
	}

	/**
	 * Let no release get a reply, until all leases in Redis are over.
	 */
	private void loseRepliesToReleases() {
		for (int i = 0; i < 1_500; i++) {
			last(this.store.releases).loseReply();
			this.timer.advance(Duration.ofMillis(50));
		}
	}

	/**
	 * Return how often a release is sent until the lease in Redis is over: twice
	 * immediately, then after 50, 100 and 200 ms, then every 250 ms.
	 */
	private static int releasesWithin(int millis) {
		return 2 + 3 + (millis - 350) / 250;
	}

	private static Optional<LockState> endlessHold() {
		return Optional
			.of(LockState.of("order:42", "me/secret", ChronoUnit.FOREVER.getDuration(), 7L, null, 0L, true, 1));
	}

	private Hold hold(LockOptions options) {
		return hold(options, this.timer.nanoTime());
	}

	private Hold hold(LockOptions options, long askedAt) {
		return hold(options, this.timer, askedAt);
	}

	private Hold hold(LockOptions options, LockTimer timer, long askedAt) {
		return hold(options, timer, askedAt, false);
	}

	private Hold lateHold(LockOptions options) {
		return hold(options, this.timer, this.timer.nanoTime(), true);
	}

	private Hold hold(LockOptions options, LockTimer given, long askedAt, boolean lateRequest) {
		JumpDetectingTimer timer = new JumpDetectingTimer(given);
		EngineStore store = new EngineStore(this.store, null, timer);
		this.stores.add(store);
		Renewer renewer = new Renewer(timer, store);
		this.renewers.add(renewer);
		timer.onJump(() -> renewer.forEach(Renewer.Wakeable::schedule));
		AcquireSettings settings = AcquireSettings.of(options, LockOptions.defaults(), null);
		Duration length = settings.lease().duration();
		AcquireRequest request = new AcquireRequest(TARGET, "me/secret", "request-1",
				(length != null) ? store.timeToLive(length, Duration.ZERO) : null);
		Lease lease = new Lease(timer, settings, askedAt);
		Grant grant = new Grant(request, settings, lease, 7, false, lateRequest, HandOverKind.NONE, 0, null);
		StoreMessages messages = EngineCalls.messages();
		Tenure tenure = new Tenure(store, timer, messages, renewer, Duration.ofMillis(20), new OneCaller(), grant);
		Hold hold = tenure.begin(settings, new HoldMonitor(null, Duration.ofMinutes(1)), this.listener, Runnable::run);
		this.handles.add(this.calls.handle(hold));
		hold.onLost(this.losses::incrementAndGet);
		hold.watch(() -> {
		});
		return hold;
	}

	/**
	 * Has no waiters.
	 */
	private static final class OneCaller implements Tenure.Listener {

		@Override
		public void execute(Runnable step) {
			step.run();
		}

		@Override
		public void release(Tenure tenure) {
			tenure.release();
		}

		@Override
		public void lost(Tenure tenure) {
		}

	}

}
