package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import org.junit.jupiter.api.Test;

import static io.github.redislock.engine.ScriptedStore.last;
import static io.github.redislock.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Downgrades when the store replies late or not at all. A lease of 30 s is renewed after
 * 10 s.
 */
class DowngradeTests {

	private final EngineCalls calls = new EngineCalls();

	private static final LockTarget WRITE = LockTarget.of("order:42");

	private static final LockTarget READ = LockTarget.of("order:42").forReading();

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final Duration UNTIL_RENEWAL = Duration.ofSeconds(10);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofHours(1));

	private final ManualLockTimer clock = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final LockEngine engine = new LockEngine(this.store,
			LockConfiguration.defaults().timer(this.clock).listeners(List.of(this.listener)));

	@Test
	void downgradeAsksTheStoreForAReadLock() {
		Hold hold = granted();

		CompletableFuture<Void> done = downgrade(hold);

		assertThat(done).isNotDone();
		ScriptedStore.Question<Boolean> asked = only(this.store.downgrades);
		assertThat(asked.target()).isEqualTo(READ);
		assertThat(asked.owner()).isEqualTo(only(this.store.acquires).owner());
		assertThat(asked.requestId()).isEqualTo(only(this.store.acquires).requestId());
		asked.reply(true);
		assertThat(done).isCompleted();
		assertThat(hold.isHeld()).isTrue();
		assertThat(hold.target()).isEqualTo(READ);
		assertThat(hold.fencingToken()).isEqualTo(7);
	}

	@Test
	void unconfirmedDowngradeIsRetriedAtEachRenewalUntilConfirmed() {
		Hold hold = granted();
		CompletableFuture<Void> done = downgrade(hold);

		only(this.store.downgrades).loseReply();

		assertThat(done).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		assertThat(hold.isHeld()).isTrue();
		this.clock.advance(UNTIL_RENEWAL);
		assertThat(this.store.downgrades).hasSize(2);
		last(this.store.downgrades).loseReply();
		assertThat(this.listener.events).containsExactly("acquired", "renewalFailed");
		this.clock.advance(UNTIL_RENEWAL);
		assertThat(this.store.downgrades).hasSize(3);
		last(this.store.downgrades).reply(true);
		assertThat(this.store.renews).isEmpty();
		this.clock.advance(UNTIL_RENEWAL);

		assertThat(this.store.downgrades).hasSize(3);
		assertThat(only(this.store.renews).target()).isEqualTo(READ);
	}

	@Test
	void unconfirmedDowngradeMayBeRequestedAgain() {
		Hold hold = granted();
		downgrade(hold);
		only(this.store.downgrades).loseReply();

		CompletableFuture<Void> again = downgrade(hold);

		last(this.store.downgrades).reply(true);
		assertThat(this.store.downgrades).hasSize(2);
		assertThat(again).isCompleted();
	}

	@Test
	void downgradeWaitsForAPendingRenewal() {
		Hold hold = granted();
		this.clock.advance(UNTIL_RENEWAL);
		assertThat(only(this.store.renews).target()).isEqualTo(WRITE);

		downgrade(hold);

		assertThat(this.store.downgrades).isEmpty();
		only(this.store.renews).reply(true);
		assertThat(this.store.downgrades).hasSize(1);
	}

	@Test
	void refusedDowngradeReportsLoss() {
		Hold hold = granted();
		CompletableFuture<Void> done = downgrade(hold);

		only(this.store.downgrades).reply(false);

		assertThat(done).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.listener.events).containsExactly("acquired", "lost");
	}

	@Test
	void unconfirmedDowngradeIsFollowedByTheReleaseOfAReadLock() {
		Hold hold = granted();
		downgrade(hold);

		CompletableFuture<ReleaseOutcome> released = hold.release();

		assertThat(this.store.releases).as("not before the reply").isEmpty();
		this.clock.advance(Duration.ofMillis(100));
		assertThat(only(this.store.releases).target()).isEqualTo(READ);
		assertThat(only(this.store.releases).requestId()).isEqualTo(only(this.store.acquires).requestId());
		only(this.store.releases).reply(true);
		assertThat(released).isCompletedWithValue(ReleaseOutcome.RELEASED);
		only(this.store.downgrades).reply(false);
		assertThat(this.listener.events).containsExactly("acquired", "released RELEASED");
	}

	@Test
	void localWaiterRequestsTheLockItselfOnceADowngradeIsSent() {
		Acquisition<BlockingHandle> first = acquire(WRITE, PATIENT);
		Acquisition<BlockingHandle> second = acquire(WRITE, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		Hold hold = hold(first);

		downgrade(hold);

		assertThat(this.store.acquires).hasSize(2);
		assertThat(last(this.store.acquires).target()).isEqualTo(WRITE);
		assertThat(last(this.store.acquires).requestId()).isNotEqualTo(this.store.acquires.get(0).requestId());
		only(this.store.downgrades).reply(true);
		CompletableFuture<ReleaseOutcome> released = hold.release();
		only(this.store.releases).reply(true);
		assertThat(released).isCompletedWithValue(ReleaseOutcome.RELEASED);
		assertThat(second.outcome()).isNotDone();
		last(this.store.acquires).reply(new AcquireReply.Granted(2_000));
		assertThat(hold(second).fencingToken()).isEqualTo(2_000);
		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void lossOfADowngradedLockDoesNotAffectTheNextWriter() {
		Hold hold = granted();
		Acquisition<BlockingHandle> next = acquire(WRITE, PATIENT);
		downgrade(hold);
		only(this.store.downgrades).reply(true);
		last(this.store.acquires).reply(new AcquireReply.Granted(2_000));

		hold.loseToOther();

		assertThat(hold.isHeld()).isFalse();
		assertThat(hold(next).isHeld()).isTrue();
		assertThat(this.store.acquires).hasSize(2);
	}

	@Test
	void staleVerificationAsWriterIsNotALossAfterADowngrade() {
		Hold hold = granted();
		CompletableFuture<Boolean> verified = hold.lease().verify().toCompletableFuture();
		downgrade(hold);
		only(this.store.downgrades).reply(true);

		only(this.store.inspects).reply(Optional.empty());

		assertThat(verified).as("asks as a reader").isNotDone();
		assertThat(last(this.store.inspects).target()).isEqualTo(READ);
		last(this.store.inspects)
			.reply(Optional.of(LockState.of("order:42", hold.owner(), Duration.ofSeconds(20), 7L, null, 0L, true, 1)));
		assertThat(verified).isCompletedWithValue(true);
		assertThat(hold.isHeld()).isTrue();
	}

	@Test
	void readerReleaseWakesALocalWriterThatTheStoreDoesNotNotify() {
		Acquisition<BlockingHandle> reader = acquire(READ, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		acquire(WRITE, PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Held(
				LockState.of("order:42", "me/secret", Duration.ofSeconds(30), 7L, null, 0L, true, 1), false, false));
		assertThat(this.store.acquires).hasSize(2);

		hold(reader).release();
		only(this.store.releases).reply(true);

		assertThat(this.store.acquires).hasSize(3);
		assertThat(last(this.store.acquires).target()).isEqualTo(WRITE);
	}

	@Test
	void callersOfASharedLockEachSendARequest() {
		acquire(READ, PATIENT);
		acquire(READ, PATIENT);
		acquire(LockTarget.of("order:42").permits(2), PATIENT);

		assertThat(this.store.acquires).hasSize(3);
	}

	@Test
	void downgradeOvertakenByTheReleaseDoesNotAffectTheNextWriter() {
		Acquisition<BlockingHandle> first = acquire(WRITE, PATIENT);
		Acquisition<BlockingHandle> second = acquire(WRITE, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		Hold former = hold(first);
		this.store.onSupportCheck = () -> former.release();

		CompletableFuture<Void> late = downgrade(former);

		assertThat(late).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(IllegalStateException.class);
		assertThat(hold(second).target()).isEqualTo(WRITE);
		this.clock.advance(UNTIL_RENEWAL);
		assertThat(this.store.downgrades).isEmpty();
		assertThat(only(this.store.renews).target()).isEqualTo(WRITE);
	}

	@Test
	void lockReenteredDuringADowngradeIsNotDowngraded() {
		Hold hold = granted();
		this.store.onSupportCheck = () -> this.calls.enterAgain(hold, WRITE);

		assertThat(downgrade(hold)).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(hold.target()).isEqualTo(WRITE);
	}

	@Test
	void inspectionReportsTheFencingTokenOfTheCurrentWriter() {
		Acquisition<BlockingHandle> first = acquire(WRITE, PATIENT);
		Acquisition<BlockingHandle> second = acquire(WRITE, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		hold(first).release();
		CompletableFuture<Optional<LockState>> state = this.engine.inspect(READ).toCompletableFuture();

		only(this.store.inspects).reply(Optional
			.of(LockState.of("order:42", hold(second).owner(), Duration.ofSeconds(20), 7L, null, 0L, true, 1)));

		assertThat(state.join()).map(LockState::fencingToken).contains(8L);
	}

	private Hold granted() {
		Acquisition<BlockingHandle> acquisition = acquire(WRITE, PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Granted(7));
		return hold(acquisition);
	}

	private Acquisition<BlockingHandle> acquire(LockTarget target, LockOptions options) {
		return this.calls.acquire(this.engine, target, this.engine.settings(target, options));
	}

	private static CompletableFuture<Void> downgrade(Hold hold) {
		return hold.lease().downgrade().toCompletableFuture();
	}

	private static Hold hold(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
		return EngineCalls.lock(acquisition).hold();
	}

}
