package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.redislock.LockStoreException;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an attempt sends to three servers, and what its caller gets, after each reply.
 */
@Tag("promise-quorum")
class QuorumAcquisitionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final ManualLockTimer clock = startedClock();

	private final ScriptedServer a = new ScriptedServer("a");

	private final ScriptedServer b = new ScriptedServer("b");

	private final ScriptedServer c = new ScriptedServer("c");

	private final List<QuorumNode> nodes = Stream.of(this.a, this.b, this.c).map(ScriptedServer::node).toList();

	private final QuorumPauses pauses = new QuorumPauses(new ManualExecutor(this.clock), this.clock::nanoTime, () -> 0);

	private final AtomicBoolean settled = new AtomicBoolean();

	private QuorumAcquisition attempt = attempt(0, null);

	private CompletableFuture<AcquireReply> reply = this.attempt.ask(() -> this.settled.set(true));

	// majority

	@Test
	void lockIsGrantedOnceAMajorityHasTheGreatestToken() {
		assertThat(this.nodes)
			.allSatisfy((node) -> assertThat(this.attempt.replied(node).toCompletableFuture()).isNotDone());
		this.a.grants(7);
		assertThat(this.attempt.replied(this.a.node()).toCompletableFuture()).isDone();
		this.b.grants(9);
		assertThat(this.reply).isNotDone();

		this.a.replies(true);

		assertThat(this.reply).isCompletedWithValue(new AcquireReply.Granted(9));
		assertThat(this.a.requests()).containsExactly("acquire 1", "raise 1 from 7 to 9");
		assertThat(this.b.requests()).containsExactly("acquire 1");
		assertThat(this.attempt.isOver()).as("asks c").isFalse();
		assertThat(this.settled).isFalse();
	}

	@Test
	void lateGrantGetsTheAgreedToken() {
		win();
		this.c.grants(5);
		assertThat(this.attempt.isOver()).isFalse();
		assertThat(this.settled).isFalse();

		this.c.replies(true);

		assertThat(this.c.requests()).containsExactly("acquire 1", "raise 1 from 5 to 9");
		assertOver(0);
	}

	@Test
	void lateGrantWithoutTheAgreedTokenIsInDoubtUntilItIsWithdrawn() {
		win();
		this.c.grants(5);
		this.c.fails(false);
		assertThat(this.attempt.isInDoubt(this.c.node())).isTrue();
		assertThat(this.attempt.isOver()).isFalse();

		this.attempt.withdrawn(this.c.node());

		assertThat(this.attempt.isInDoubt(this.c.node())).isFalse();
		assertOver(0);
	}

	@Test
	void lateRefusalEndsAWonAttempt() {
		win();

		this.c.refuses("zoe");

		assertOver(0);
		assertThat(this.c.requests()).containsExactly("acquire 1");
	}

	@Test
	void laterAttemptWritesTheTokenToEachServer() {
		askAs(2, null);
		this.a.grants(9);
		this.b.grants(9);

		assertThat(this.reply).isNotDone();
		assertThat(this.attempt.number()).isEqualTo(2);
		assertThat(this.a.requests()).endsWith("acquire 1.2", "raise 1.2 from 9 to 9");
		assertThat(this.b.requests()).endsWith("acquire 1.2", "raise 1.2 from 9 to 9");
	}

	// loss

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tokenThatNoMajorityStoresIsNotReturned(boolean lost) {
		askAs(2, null);
		this.a.grants(7);
		this.b.grants(9);
		this.c.refuses("zoe");
		this.b.replies(true);
		assertThat(this.reply).isNotDone();

		if (lost) {
			this.a.replies(false);
		}
		else {
			this.a.fails(false);
			this.a.replies(null);
		}

		assertThat(failure()).hasMessageContaining("of 3 Redis nodes replied, which is not enough to decide: ")
			.matches(LockStoreException::isOutcomeUnknown);
		assertThat(this.b.requests()).endsWith("raise 1.2 from 9 to 9", "withdraw 1.2");
		assertThat(this.attempt.isOver()).isFalse();
		this.b.replies(null);
		assertOver(lost ? 2 : 3);
		assertThat(this.a.requests()).endsWith(lost ? "raise 1.2 from 7 to 9" : "withdraw 1.2 and remember");
		assertThat(this.attempt.isInDoubt(this.a.node())).isFalse();
	}

	@Test
	void callerIsRefusedOnceAMajorityNamesTheHolder() {
		this.b.refuses("zoe");
		assertThat(this.reply).isNotDone();

		this.c.refuses("zoe");

		assertRefused("zoe", true);
		assertThat(this.attempt.isOver()).as("asks a").isFalse();
		assertThat(this.attempt.nextNumber()).isOne();
		this.a.grants(7);
		assertThat(this.a.requests()).containsExactly("acquire 1", "withdraw 1");
		assertThat(this.attempt.isOver()).isFalse();
		assertThat(this.attempt.nextNumber()).isOne();
		this.a.replies(null);
		assertOver(0);
		assertThat(this.b.requests()).containsExactly("acquire 1");
	}

	@Test
	void possibleGrantOfALostAttemptIsWithdrawnUntilTheServerConfirmsIt() {
		this.a.fails(true);
		this.b.refuses("zoe");
		this.c.refuses("zoe");
		assertThat(this.a.requests()).containsExactly("acquire 1", "withdraw 1 and remember");
		this.a.fails(true);
		assertThat(this.attempt.isInDoubt(this.a.node())).isTrue();
		assertThat(this.attempt.isOver()).isFalse();

		this.clock.advance(Duration.ofSeconds(1));
		this.a.replies(null);

		assertThat(this.a.requests()).containsExactly("acquire 1", "withdraw 1 and remember",
				"withdraw 1 and remember");
		assertThat(this.attempt.isInDoubt(this.a.node())).isFalse();
		assertOver(1);
	}

	@Test
	void withdrawnRequestTakesItsGrantsBack() {
		this.a.replies(new AcquireReply.Withdrawn());
		this.b.grants(7);
		assertThat(this.b.requests()).containsExactly("acquire 1");

		this.c.refuses("zoe");

		assertThat(this.reply).isCompletedWithValue(new AcquireReply.Withdrawn());
		assertThat(this.b.requests()).containsExactly("acquire 1", "withdraw 1");
		assertThat(this.attempt.isOver()).isFalse();
		this.b.replies(null);
		assertOver(0);
	}

	// no decision

	@Test
	void grantsAreKeptIfTooFewServersReply() {
		this.a.grants(7);
		this.b.fails(false);
		assertThat(this.reply).isNotDone();

		this.c.fails(false);

		LockStoreException failure = failure();
		assertThat(failure).hasMessageContaining("1 of 3 Redis nodes replied, and 2 are needed: b (no reply), c");
		assertThat(failure.isOutcomeUnknown()).isTrue();
		assertThat(failure.getSuppressed()).as("of c").hasSize(1);
		assertThat(this.a.requests()).containsExactly("acquire 1");
		assertThat(this.attempt.isOver()).isFalse();
		assertThat(this.attempt.nextNumber()).isZero();
	}

	@Test
	void attemptThatNoServerReceivedIsOver() {
		this.a.fails(false);
		this.b.fails(false);
		this.c.fails(false);

		assertThat(failure().isOutcomeUnknown()).isFalse();
		assertOver(0);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void failureIsRetryableIfAMajorityMayReply(boolean hopeful) {
		this.a.fails(false);
		this.b.fails(new LockStoreException(ScriptedServer.TARGET, "no reply", null, hopeful, false));
		this.c.fails(new IllegalStateException());

		assertThat(failure().isRetryable()).isEqualTo(hopeful);
	}

	@Test
	void repeatedAttemptIsInDoubtWhereTheLockMayBeHeld() {
		this.a.grants(7);
		this.b.fails(false);

		askAs(0, this.attempt);

		assertThat(this.nodes.stream().map(this.attempt::isInDoubt)).as("granted, failed, asked")
			.containsExactly(true, false, true);
	}

	// split votes

	@Test
	void splitVotesAreSettledByAskingTheOtherServersAgain() {
		split("zoe", "yan");
		assertThat(this.attempt.replied(this.b.node()).toCompletableFuture()).isNotDone();
		assertThat(this.b.requests()).as("before the pause").containsExactly("acquire 1");
		this.clock.advance(Duration.ofMillis(20));
		this.b.refuses("zoe");
		this.clock.advance(Duration.ofMillis(20));
		assertThat(this.c.requests()).containsExactly("acquire 1", "acquire 1");

		this.c.grants(9);

		assertThat(this.a.requests()).as("may have expired").containsExactly("acquire 1", "raise 1 from 7 to 9");
		assertThat(this.c.requests()).endsWith("raise 1 from 9 to 9");
		this.a.replies(true);
		assertThat(this.reply).isNotDone();
		this.c.replies(true);
		assertThat(this.reply).isCompletedWithValue(new AcquireReply.Granted(9));
		assertOver(0);
	}

	@Test
	void closedStoreAsksAgainWithoutAPause() {
		this.pauses.close();

		split("zoe", "yan");

		assertThat(this.b.requests()).containsExactly("acquire 1", "acquire 1");
	}

	@Test
	void pausesDiffer() {
		try (QuorumPauses random = new QuorumPauses()) {
			assertThat(Stream.generate(random::toYield).limit(20).distinct()).hasSizeGreaterThan(1);
		}
	}

	@Test
	void callerGivesWayWhenItsPatienceEnds() {
		split("zoe", "yan");
		this.clock.advance(PATIENCE);
		this.b.refuses("zoe");

		this.c.refuses("yan");

		assertRefused("yan", false);
		assertThat(this.a.requests()).containsExactly("acquire 1", "withdraw 1");
	}

	@ParameterizedTest
	@CsvSource({ "ann, zoe, ann", "zoe, zoe, zoe" })
	void callerGivesWayToAnOwnerThatIsAhead(String first, String second, String holder) {
		split(first, second);

		assertThat(this.reply).isCompletedWithValueMatching(
				(value) -> value instanceof AcquireReply.Held held && holder.equals(held.holder().owner()));
		this.clock.advance(Duration.ofMillis(20));
		assertThat(this.b.requests()).containsExactly("acquire 1");
	}

	@Test
	void ownerMayHaveTheVoteOfAServerThatDidNotReply() {
		this.a.grants(7);
		this.b.refuses("ann");

		this.c.fails(false);

		assertRefused("ann", true);
	}

	private static ManualLockTimer startedClock() {
		ManualLockTimer clock = new ManualLockTimer();
		clock.advance(Duration.ofHours(1));
		return clock;
	}

	private QuorumAcquisition attempt(int number, @Nullable QuorumAcquisition before) {
		return new QuorumAcquisition(new Quorum(this.nodes, PATIENCE), this.pauses,
				new QuorumLeftovers(this.nodes, this.pauses),
				new AcquireRequest(ScriptedServer.TARGET, "me", "1", Duration.ofSeconds(30)), number, before);
	}

	private void askAs(int number, @Nullable QuorumAcquisition before) {
		this.attempt = attempt(number, before);
		this.reply = this.attempt.ask(() -> this.settled.set(true));
	}

	private void win() {
		this.a.grants(9);
		this.b.grants(9);
		assertThat(this.reply).isCompletedWithValue(new AcquireReply.Granted(9));
	}

	private void split(String second, String third) {
		this.a.grants(7);
		this.b.refuses(second);
		this.c.refuses(third);
	}

	private LockStoreException failure() {
		assertThat(this.reply).isCompletedExceptionally();
		return this.reply.handle((value, failure) -> (LockStoreException) failure).join();
	}

	private void assertRefused(String holder, boolean held) {
		assertThat(this.reply).isCompletedWithValueMatching((value) -> value instanceof AcquireReply.Held refused
				&& holder.equals(refused.holder().owner()) && refused.holder().held() == held);
	}

	private void assertOver(int nextNumber) {
		assertThat(this.attempt.isOver()).isTrue();
		assertThat(this.settled).isTrue();
		assertThat(this.attempt.nextNumber()).isEqualTo(nextNumber);
	}

}
