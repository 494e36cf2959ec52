package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.ScriptedStore.Question;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.testing.LogRecorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.internal.engine.ScriptedStore.last;
import static io.github.redislock.internal.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests when a stored request is repeated, and which hand-overs it trusts.
 */
@Tag("promise-taken-by-force")
class PendingRequestTests {

	private final EngineCalls calls = new EngineCalls();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final LockTarget OTHER = LockTarget.of("order:43");

	private static final AcquireReply TOLD = held(Duration.ofMinutes(10), 3L, true, true);

	private static final AcquireReply NOT_TOLD = held(Duration.ofMinutes(10), 3L, true, false);

	private static final AcquireReply FOREIGN = held(Duration.ofMinutes(10), null, true, false);

	private static final AcquireReply NO_QUEUE = held(Duration.ofMinutes(10), 3L, false, false);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofHours(1))
		.retryDelay(Duration.ofMillis(100));

	/** What remains of a claim of 900 ms after the margin for clock drift. */
	private static final Duration CLAIM_VALIDITY = Duration.ofMillis(889);

	private static final Duration TRUSTED = Duration.ofMillis(600);

	private static final Duration THIRD = Duration.ofMillis(300);

	private final ManualLockTimer clock = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final LockEngine engine = new LockEngine(this.store,
			LockConfiguration.defaults().timer(this.clock).listeners(List.of(this.listener)));

	@Test
	void waiterWithNotificationsPollsAboutOnceASecond() {
		acquire(PATIENT);

		for (Duration pause : pauses(TOLD, 20)) {
			assertThat(pause).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_001));
		}
		assertThat(this.store.acquires).extracting(Question::requestId)
			.containsOnly(last(this.store.acquires).requestId());
	}

	@Test
	void waiterSendsARequestWhenTheHoldersLeaseEnds() {
		acquire(PATIENT);

		assertThat(pauses(held(Duration.ofMillis(300), 3L, true, true), 3)).containsOnly(Duration.ofMillis(301));
	}

	@Test
	void pollingWithoutNotificationsBacksOffToAQuarterOfASecond() {
		acquire(PATIENT);

		List<Duration> pauses = pauses(NOT_TOLD, 6);

		assertThat(pauses.get(0)).isBetween(Duration.ofMillis(90), Duration.ofMillis(111));
		assertThat(pauses.get(1)).isBetween(Duration.ofMillis(180), Duration.ofMillis(221));
		assertThat(pauses.subList(2, 6))
			.allSatisfy((pause) -> assertThat(pause).isBetween(Duration.ofMillis(225), Duration.ofMillis(276)));
	}

	@Test
	void lockOfAnotherProgramIsPolledAtTheRetryDelay() {
		acquire(PATIENT);

		assertThat(pauses(FOREIGN, 6))
			.allSatisfy((pause) -> assertThat(pause).isBetween(Duration.ofMillis(90), Duration.ofMillis(111)));
	}

	@Test
	void pauseAfterASlowReplyLastsAsLongAsTheReplyTook() {
		assertPauseAfterReply(Duration.ofMillis(600), Duration.ofMillis(600));
	}

	/**
	 * A waiter that is silent for three seconds counts as dead.
	 */
	@Test
	void pauseAfterAVerySlowReplyLastsOneSecond() {
		assertPauseAfterReply(Duration.ofSeconds(5), Duration.ofSeconds(1));
	}

	private void assertPauseAfterReply(Duration took, Duration pause) {
		acquire(PATIENT);
		this.clock.advance(took);
		only(this.store.acquires).reply(FOREIGN);

		this.clock.advance(pause.minusMillis(1));
		assertThat(this.store.acquires).hasSize(1);
		this.clock.advance(Duration.ofMillis(1));

		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void requestsToAStoreWithoutAQueueBackOffUpToASecond() {
		acquire(PATIENT);

		List<Duration> pauses = pauses(NO_QUEUE, 6);

		for (int i = 0; i < pauses.size(); i++) {
			Duration usual = Duration.ofMillis(Math.min(100 << i, 1_000));
			assertThat(pauses.get(i)).as("pause %d", i)
				.isBetween(usual.multipliedBy(9).dividedBy(10), usual.multipliedBy(11).dividedBy(10).plusMillis(1));
		}
	}

	@Test
	void waiterSendsARequestImmediatelyWhenTheNotificationModeChanges() {
		waiting(PATIENT);

		this.store.changeWayOfTelling();

		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void notificationChangeDuringARequestLeadsToOneMoreRequest() {
		acquire(PATIENT);

		this.store.changeWayOfTelling();
		this.store.changeWayOfTelling();
		assertThat(this.store.acquires).hasSize(1);
		last(this.store.acquires).reply(NOT_TOLD);

		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void notificationChangeDuringAFailedRequestLeadsToOneMoreRequest() {
		acquire(PATIENT);

		this.store.changeWayOfTelling();
		last(this.store.acquires).reject();

		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void notificationChangeDuringARequestGrantedTooLateLeadsToOneMoreRequest() {
		acquire(PATIENT.retryDelay(Duration.ofSeconds(10)));
		this.clock.advance(Duration.ofSeconds(31));

		this.store.changeWayOfTelling();
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(this.store.acquires).hasSize(2);
	}

	/**
	 * A request that is silent for three seconds loses its place.
	 */
	@Test
	void queuedRequestIsRetriedSoonAfterAnErrorDespiteALongRetryDelay() {
		acquire(PATIENT.retryDelay(Duration.ofSeconds(10)));
		last(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.store.acquires).hasSize(2);

		last(this.store.acquires).reject();
		this.clock.advance(Duration.ofMillis(1_100));

		assertThat(this.store.acquires).hasSize(3);
	}

	/**
	 * The store keeps the lock for the request, and no other caller can use it.
	 */
	@Test
	void lockGrantedTooLateIsRequestedAgainSoonDespiteALongRetryDelay() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT.retryDelay(Duration.ofSeconds(10)));
		this.clock.advance(Duration.ofSeconds(31));

		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(acquisition.outcome()).isNotDone();
		this.clock.advance(Duration.ofMillis(1_100));
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(this.store.acquires).hasSize(2);
		assertThat(lock(acquisition).isHeld()).isTrue();
	}

	@Test
	void handOverIsAcceptedWithoutARequest() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.clock.advance(Duration.ofMillis(100));

		this.store.handOver(only(this.store.acquires), 9);

		assertThat(lock(acquisition).fencingToken()).isEqualTo(9);
		assertThat(lock(acquisition).remaining()).isEqualTo(CLAIM_VALIDITY.minusMillis(100));
		assertThat(this.store.log).containsExactly("acquire");
	}

	@Test
	void handOverIsAcceptedWhileTwoThirdsOfTheClaimRemain() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);

		this.clock.advance(CLAIM_VALIDITY.minus(TRUSTED));
		this.store.handOver(only(this.store.acquires), 9);

		assertThat(lock(acquisition).remaining()).isEqualTo(TRUSTED);
	}

	@Test
	void lateHandOverIsConfirmedFirst() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);

		this.clock.advance(CLAIM_VALIDITY.minus(TRUSTED).plusNanos(1));
		this.store.handOver(only(this.store.acquires), 9);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(lock(acquisition).fencingToken()).isEqualTo(9);
		assertThat(lock(acquisition).remaining()).isEqualTo(LeaseLength.validity(Duration.ofSeconds(30)));
	}

	@Test
	void handOverBeforeTheLastRefusalIsNotTrusted() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.clock.advance(Duration.ofMillis(10));
		this.store.changeWayOfTelling();
		last(this.store.acquires).reply(TOLD);

		this.store.handOver(this.store.acquires.get(0), 9);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(3);
		last(this.store.acquires).reply(TOLD);
		assertThat(acquisition.outcome()).isNotDone();
	}

	@Test
	void handOverWaitsForThePendingReply() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.store.changeWayOfTelling();

		this.store.handOver(this.store.acquires.get(0), 9);
		assertThat(acquisition.outcome()).isNotDone();
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(lock(acquisition).fencingToken()).isEqualTo(9);
		assertThat(from(acquisition)).isEqualTo(HandOverKind.REMOTE);
		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void claimCountsFromTheLatestRequest() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.clock.advance(Duration.ofMillis(10));
		this.store.changeWayOfTelling();
		last(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofMillis(100));

		this.store.handOver(last(this.store.acquires), 9);

		assertThat(lock(acquisition).remaining()).isEqualTo(CLAIM_VALIDITY.minusMillis(100));
		assertThat(this.store.log).containsExactly("acquire", "acquire");
	}

	@Test
	void grantWithoutAMessageIsNotReportedAsAHandOver() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.store.changeWayOfTelling();
		this.store.changeWayOfTelling();
		last(this.store.acquires).reply(TOLD);

		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(from(acquisition)).isEqualTo(HandOverKind.NONE);
	}

	@Test
	void grantAfterATurnThatCameDuringARequestIsReportedAsAHandOver() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.store.changeWayOfTelling();
		this.store.callIn(last(this.store.acquires));
		last(this.store.acquires).reply(TOLD);

		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(from(acquisition)).isEqualTo(HandOverKind.REMOTE);
	}

	@Test
	void grantAfterAMissedTurnIsNotReportedAsAHandOver() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.store.callIn(last(this.store.acquires));
		last(this.store.acquires).reply(TOLD);
		this.clock.advance(Duration.ofSeconds(1));

		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(from(acquisition)).isEqualTo(HandOverKind.NONE);
	}

	@Test
	void handOverThatOvertookTheEarlierRefusalIsAccepted() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		Question<AcquireReply> question = only(this.store.acquires);

		this.store.handOver(question, 9);
		assertThat(acquisition.outcome()).isNotDone();
		question.reply(TOLD);

		assertThat(lock(acquisition).fencingToken()).isEqualTo(9);
		assertThat(this.store.acquires).hasSize(1);
	}

	@Test
	void handOverContradictedByALaterRefusalIsNotTrusted() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.clock.advance(Duration.ofMillis(10));
		this.store.changeWayOfTelling();

		this.store.handOver(this.store.acquires.get(0), 9);
		last(this.store.acquires).reply(TOLD);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(3);
	}

	@Test
	void handOverIsAcceptedIfThePendingReplyIsLost() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.clock.advance(Duration.ofMillis(10));
		this.store.changeWayOfTelling();

		this.store.handOver(this.store.acquires.get(0), 9);
		last(this.store.acquires).loseReply();

		assertThat(lock(acquisition).remaining()).isEqualTo(CLAIM_VALIDITY.minusMillis(10));
	}

	@Test
	void waitEndsInTimeAfterALateHandOverAndALostReply() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT.waitTime(Duration.ofSeconds(2)));
		this.store.handOver(only(this.store.acquires), 9);
		this.clock.advance(CLAIM_VALIDITY);
		last(this.store.acquires).loseReply();
		assertThat(this.store.acquires).hasSize(2);

		this.clock.advance(Duration.ofSeconds(2));

		assertThat(acquisition.outcome()).isDone();
	}

	@Test
	void handOverFollowedByAForcedReleaseIsNotTrusted() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		Question<AcquireReply> question = only(this.store.acquires);

		this.store.handOver(question, 9);
		this.store.takeByForce(TARGET);
		question.reply(TOLD);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void handOverAfterAForcedReleaseIsAccepted() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		Question<AcquireReply> question = only(this.store.acquires);

		this.store.takeByForce(TARGET);
		this.store.handOver(question, 9);
		question.reply(TOLD);

		assertThat(lock(acquisition).fencingToken()).isEqualTo(9);
	}

	@Test
	void lockForceReleasedBeforeItsGrantArrivedIsRequestedAgain() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		this.store.takeByForce(TARGET);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(acquisition.outcome()).isNotDone();
		last(this.store.acquires).reply(TOLD);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void forcedReleaseOfAnotherLockDoesNotDelayAGrant() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		this.store.takeByForce(OTHER);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		assertThat(lock(acquisition).isHeld()).isTrue();
		assertThat(this.store.acquires).hasSize(1);
	}

	@Test
	void forcedReleaseEndsTheHoldOfThatLockOnly() {
		Acquisition<BlockingHandle> taken = acquire(PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		Acquisition<BlockingHandle> kept = acquire(OTHER, PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		this.store.takeByForce(TARGET);
		assertThat(only(this.store.inspects).target()).isEqualTo(TARGET);
		only(this.store.inspects).reply(Optional.empty());

		assertThat(lock(taken).isHeld()).isFalse();
		assertThat(lock(kept).isHeld()).isTrue();
	}

	@Test
	void handOverForACancelledWaiterIsIgnored() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		acquisition.cancel(new LockInterruptedException(TARGET));

		this.store.handOver(only(this.store.acquires), 9);

		assertThat(this.store.log).containsExactly("acquire", "withdraw");
		only(this.store.withdraws).reply(null);
		assertThat(this.engine.isIdle()).isTrue();
	}

	@Test
	void duplicateHandOverMessageIsAcceptedOnce() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);

		this.store.handOver(only(this.store.acquires), 9);
		this.store.handOver(only(this.store.acquires), 9);

		assertThat(lock(acquisition).isHeld()).isTrue();
		assertThat(this.listener.events).containsExactly("acquired");
		assertThat(this.store.log).containsExactly("acquire");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void claimIsExtendedToTheLeaseAfterAThirdIfTheStoreConfirms(boolean confirmed) {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT);
		this.store.handOver(only(this.store.acquires), 9);

		this.clock.advance(THIRD.minusNanos(1));
		assertThat(this.store.renews).isEmpty();
		this.clock.advance(Duration.ofNanos(1));
		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofMillis(31_500));
		if (confirmed) {
			only(this.store.renews).reply(true);
		}

		assertThat(lock(acquisition).remaining())
			.isEqualTo(confirmed ? LeaseLength.validity(Duration.ofSeconds(30)) : CLAIM_VALIDITY.minus(THIRD));
		this.clock.advance(CLAIM_VALIDITY.minus(THIRD));
		assertThat(lock(acquisition).isHeld()).isEqualTo(confirmed);
	}

	@Test
	void claimWithoutAutoRenewalIsExtendedOnceToTheRequestedLease() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT.timeout(Duration.ofSeconds(10)).autoRenew(false));
		this.store.handOver(only(this.store.acquires), 9);

		this.clock.advance(THIRD);
		// What remains of ten seconds, and the grace period.
		assertThat(only(this.store.renews).duration()).isEqualTo(Duration.ofNanos(9_700_000_000L * 105 / 100));
		only(this.store.renews).reply(true);

		Duration validity = LeaseLength.validity(Duration.ofMillis(9_700));
		assertThat(lock(acquisition).remaining()).isEqualTo(validity);
		this.clock.advance(validity.minusNanos(1));
		assertThat(lock(acquisition).isHeld()).isTrue();
		this.clock.advance(Duration.ofNanos(1));
		assertThat(lock(acquisition).isHeld()).isFalse();
		assertThat(this.store.renews).hasSize(1);
	}

	@Test
	void claimIsNoLongerThanAShortLease() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT.timeout(Duration.ofMillis(300)).autoRenew(false));

		this.store.handOver(only(this.store.acquires), 9);

		assertThat(lock(acquisition).remaining()).isEqualTo(LeaseLength.validity(Duration.ofMillis(300)));
	}

	@Test
	void handOverToACallerSuppliedOwnerTokenIsConfirmedFirst() {
		Acquisition<BlockingHandle> acquisition = waiting(PATIENT.owner("mine"));

		this.store.handOver(only(this.store.acquires), 9);

		assertThat(acquisition.outcome()).isNotDone();
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(new AcquireReply.Granted(9));
		assertThat(lock(acquisition).owner()).isEqualTo("mine");
	}

	/**
	 * The owner token does not contain the id.
	 */
	@Test
	void releaseWithACallerSuppliedOwnerTokenHasTheIdOfItsRequest() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT.owner("mine"));
		last(this.store.acquires).reply(new AcquireReply.Granted(9));

		EngineCalls.lock(acquisition).hold().release();

		assertThat(only(this.store.releases).requestId()).isEqualTo(only(this.store.acquires).requestId());
	}

	@Test
	void eachNewHolderIsLogged() {
		try (LogRecorder log = LogRecorder.debugOf(PendingRequest.class.getName())) {
			acquire(PATIENT);
			for (AcquireReply reply : List.of(TOLD, TOLD, held("next/secret", null), held("next/secret", 2L))) {
				last(this.store.acquires).reply(reply);
				this.clock.advance(Duration.ofSeconds(1));
			}

			assertThat(log.lines()).satisfiesExactly(
					(line) -> assertThat(line)
						.startsWith("DEBUG Lock 'order:42' not available, waiting (1 in the queue): held by other"),
					(line) -> assertThat(line)
						.startsWith("DEBUG Lock 'order:42' not available, waiting: held by next"));
		}
	}

	/**
	 * Give the same reply again and again, and return the time between the requests,
	 * rounded up to milliseconds.
	 */
	private List<Duration> pauses(AcquireReply reply, int count) {
		List<Duration> pauses = new ArrayList<>();
		while (pauses.size() < count) {
			int asked = this.store.acquires.size();
			last(this.store.acquires).reply(reply);
			long begin = this.clock.nanoTime();
			while (this.store.acquires.size() == asked) {
				this.clock.advance(Duration.ofMillis(1));
			}
			pauses.add(Duration.ofNanos(this.clock.nanoTime() - begin));
		}
		return pauses;
	}

	/**
	 * Begin to acquire a lock that another instance holds, and for which the store has a
	 * queue.
	 */
	private Acquisition<BlockingHandle> waiting(LockOptions options) {
		Acquisition<BlockingHandle> acquisition = acquire(options);
		last(this.store.acquires).reply(TOLD);
		return acquisition;
	}

	private Acquisition<BlockingHandle> acquire(LockOptions options) {
		return acquire(TARGET, options);
	}

	private Acquisition<BlockingHandle> acquire(LockTarget target, LockOptions options) {
		return this.calls.acquire(this.engine, target, this.engine.settings(target, options));
	}

	private static AcquireReply held(String owner, @Nullable Long waiters) {
		return new AcquireReply.Held(
				LockState.of("order:42", owner, Duration.ofMinutes(10), 3L, null, waiters, true, 1), true, true);
	}

	private static AcquireReply held(Duration remaining, @Nullable Long token, boolean queued, boolean told) {
		return new AcquireReply.Held(LockState.of("order:42", "other/secret", remaining, token, null, 1L, true, 1),
				queued, told);
	}

	private static HandOverKind from(Acquisition<BlockingHandle> acquisition) {
		return EngineCalls.lock(acquisition).hold().from();
	}

	private static LockHandle lock(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
		return EngineCalls.lock(acquisition);
	}

}
