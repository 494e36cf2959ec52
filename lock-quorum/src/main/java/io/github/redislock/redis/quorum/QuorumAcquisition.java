package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.redislock.LockState;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.redis.quorum.QuorumVote.State;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a request to acquire a lock on several servers. It asks all of them at
 * once, and writes the greatest fencing token to a majority. An attempt that loses takes
 * its grants back.
 * <p>
 * It does not wait for servers that no longer matter; late replies are handled in the
 * background. If the votes are split so that no owner has won, the owner with the most
 * votes keeps them and asks the other servers again, while all other owners give way. The
 * state is guarded by this object's monitor, which is never held while a request is sent
 * or a future is completed.
 */
final class QuorumAcquisition {

	private static final Runnable NOTHING = () -> {
	};

	private final Quorum quorum;

	private final QuorumPauses pauses;

	private final QuorumLeftovers leftovers;

	private final String requestId;

	/** The request with the id under which the servers know this attempt. */
	private final AcquireRequest sent;

	private final int number;

	private final List<QuorumVote> votes;

	private final CompletableFuture<AcquireReply> outcome = new CompletableFuture<>();

	private final long begunAt;

	private volatile Runnable onSettled = NOTHING;

	private @Nullable End end;

	/** The agreed fencing token; 0 until there is a majority. */
	private long token;

	private int round;

	/**
	 * The number of unconfirmed requests to take the lock back. A server may get two of
	 * them.
	 */
	private int takingBack;

	/** Whether a server was asked to refuse this attempt from now on. */
	private boolean usedUp;

	/**
	 * Create an attempt.
	 * @param number the number of the attempt, which is new if servers may refuse an
	 * earlier attempt or take it back
	 * @param before the previous attempt if it has the same number and is not over
	 */
	QuorumAcquisition(Quorum quorum, QuorumPauses pauses, QuorumLeftovers leftovers, AcquireRequest request, int number,
			@Nullable QuorumAcquisition before) {
		this.quorum = quorum;
		this.pauses = pauses;
		this.leftovers = leftovers;
		this.begunAt = pauses.nanoTime();
		this.requestId = request.requestId();
		this.number = number;
		this.sent = named(request, number);
		this.votes = quorum.nodes()
			.stream()
			.map((node) -> new QuorumVote(node, before != null && before.mayHold(node)))
			.toList();
	}

	/**
	 * Return a request with the id under which the servers know one of its attempts.
	 */
	static AcquireRequest named(AcquireRequest request, int number) {
		String id = (number > 0) ? request.requestId() + "." + number : request.requestId();
		// Do not join the queues, because each server could hand the lock over to a
		// different request.
		return new AcquireRequest(request.target(), request.owner(), id, request.timeToLive(), request.tokens(), null,
				request.attempt());
	}

	AcquireRequest sent() {
		return this.sent;
	}

	int number() {
		return this.number;
	}

	/**
	 * Send the attempt. Called only once.
	 * @param onSettled called when the attempt need no longer be remembered; may be
	 * called more than once, or not at all
	 */
	CompletableFuture<AcquireReply> ask(Runnable onSettled) {
		this.onSettled = onSettled;
		send(this.votes);
		return this.outcome;
	}

	/**
	 * Return the number of the next attempt, which is a new number if servers refuse this
	 * attempt, or may take it back later.
	 */
	synchronized int nextNumber() {
		boolean used = this.end == End.LOST && (this.usedUp || !isOver());
		return used ? this.number + 1 : this.number;
	}

	/**
	 * Return a future that completes when a server has replied, or the request to it has
	 * failed.
	 */
	synchronized CompletionStage<?> replied(QuorumNode node) {
		return vote(node).replied();
	}

	synchronized boolean isInDoubt(QuorumNode node) {
		return vote(node).isInDoubt();
	}

	/**
	 * Record that a server refuses this attempt from now on, because it was asked to.
	 */
	void withdrawn(QuorumNode node) {
		step(() -> {
			this.usedUp = true;
			vote(node).withdrawn();
			return NOTHING;
		});
	}

	private synchronized boolean mayHold(QuorumNode node) {
		QuorumVote vote = vote(node);
		return vote.isPerhapsOurs() || vote.is(State.ASKED);
	}

	/**
	 * Return whether everything is settled: no server can hold the lock for the requester
	 * without the requester knowing it.
	 */
	synchronized boolean isOver() {
		if (this.end == null || !isSettled()) {
			return false;
		}
		return switch (this.end) {
			case WON -> count(QuorumVote::isInDoubt) == 0;
			case UNKNOWN -> count(QuorumVote::isPerhapsOurs) == 0;
			case LOST, WITHDRAWN -> this.takingBack == 0;
		};
	}

	private void send(List<QuorumVote> asked) {
		asked.forEach((vote) -> Futures.attempt(() -> vote.node().store().acquire(this.sent))
			.whenComplete((reply, failure) -> replied(vote, reply, failure)));
	}

	private void replied(QuorumVote vote, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		step(() -> {
			CompletableFuture<@Nullable Void> asked = vote.replied();
			if (reply != null) {
				vote.reply(reply);
			}
			else {
				vote.fail(Objects.requireNonNull(failure));
			}
			Runnable next = (this.end != null) ? repliedLate(vote) : decide();
			return () -> {
				asked.complete(null);
				next.run();
			};
		});
	}

	private void raised(QuorumVote vote, @Nullable Boolean ours, @Nullable Throwable failure) {
		step(() -> {
			if (failure != null) {
				vote.fail(failure);
			}
			else {
				vote.become(Boolean.TRUE.equals(ours) ? State.CONFIRMED : State.REFUSED);
			}
			return (this.end != null) ? repliedLate(vote) : decide();
		});
	}

	private void step(Supplier<Runnable> step) {
		Runnable next;
		boolean over;
		synchronized (this) {
			next = step.get();
			over = isOver();
		}
		next.run();
		if (over) {
			this.onSettled.run();
		}
	}

	private Runnable decide() {
		return (count(QuorumVote::isOurs) >= this.quorum.majority()) ? agree() : giveUp();
	}

	/**
	 * Write the greatest token to a majority before the requester gets it.
	 */
	private Runnable agree() {
		if (this.token == 0) {
			this.token = this.votes.stream()
				.filter(QuorumVote::isOurs)
				.mapToLong(QuorumVote::token)
				.max()
				.orElseThrow();
		}
		List<QuorumVote> behind = this.votes.stream()
			.filter((vote) -> vote.is(State.GRANTED) && !isConfirmedByItself(vote))
			.toList();
		behind.forEach((vote) -> vote.become(State.RAISING));
		this.votes.stream().filter((vote) -> vote.is(State.GRANTED)).forEach((vote) -> vote.become(State.CONFIRMED));
		boolean won = count((vote) -> vote.is(State.CONFIRMED)) >= this.quorum.majority();
		if (won) {
			this.end = End.WON;
		}
		return () -> {
			behind.forEach(this::raise);
			if (won) {
				this.outcome.complete(new AcquireReply.Granted(this.token));
			}
		};
	}

	/**
	 * Return whether a server certainly has the agreed token. This is uncertain if an
	 * earlier attempt may be taken back later, or if the lock may have expired.
	 */
	private boolean isConfirmedByItself(QuorumVote vote) {
		return vote.token() == this.token && this.number == 0 && this.round == 0;
	}

	private void raise(QuorumVote vote) {
		Futures.attempt(() -> vote.node().fences().raise(this.sent, this.requestId, this.token, vote.token()))
			.whenComplete((ours, failure) -> raised(vote, ours, failure));
	}

	/**
	 * Decide what to do without a majority. The first case that fits applies:
	 * <ol>
	 * <li>No other owner has a majority and a server may still reply: go on waiting.
	 * <li>A server knows that the request was withdrawn: the attempt is WITHDRAWN, and
	 * its grants are taken back.
	 * <li>A token was agreed on but can no longer reach a majority: the attempt is LOST,
	 * its grants are taken back, and the caller gets a failure.
	 * <li>Fewer than a majority have replied: the end is UNKNOWN, the grants are kept for
	 * the next attempt or the withdrawal, and the caller gets a failure.
	 * <li>The votes are split, no other owner is ahead, and patience is not over: begin
	 * the next round.
	 * <li>Otherwise, the attempt is LOST, its grants are taken back, and the caller gets
	 * a refusal.
	 * </ol>
	 */
	private Runnable giveUp() {
		Optional<HolderByVotes> other = HolderByVotes.of(this.votes.stream()
			.<LockState>mapMulti((vote, states) -> Optional.ofNullable(vote.holder()).ifPresent(states))
			.toList());
		boolean held = other.isPresent() && other.get().votes() >= this.quorum.majority();
		if (!held && !isSettled()) {
			return NOTHING;
		}
		if (count((vote) -> vote.is(State.WITHDRAWN)) > 0) {
			return lose(End.WITHDRAWN, () -> this.outcome.complete(new AcquireReply.Withdrawn()));
		}
		int replies = count(QuorumVote::isReply);
		if (this.token != 0) {
			return lose(End.LOST, failure(replies));
		}
		if (replies < this.quorum.majority() || other.isEmpty()) {
			this.end = End.UNKNOWN;
			return failure(replies);
		}
		if (!held && !other.get().isAheadOf(this.sent.owner(), count(QuorumVote::isOurs))
				&& this.pauses.nanoTime() - this.begunAt < this.quorum.patience().toNanos()) {
			return askOthersAgain();
		}
		AcquireReply.Held refused = new AcquireReply.Held(
				other.get().state(this.quorum.majority(), this.quorum.size() - replies), false, false);
		return lose(End.LOST, () -> this.outcome.complete(refused));
	}

	/**
	 * Send the attempt again to the servers that did not grant the lock, because the
	 * other owners give way.
	 */
	private Runnable askOthersAgain() {
		this.round++;
		List<QuorumVote> others = this.votes.stream().filter((vote) -> !vote.isOurs()).toList();
		others.forEach(QuorumVote::askAgain);
		Duration pause = this.pauses.beforeRound(this.round);
		return () -> this.pauses.after(pause, () -> send(others));
	}

	/**
	 * Return how to tell the caller that the replies do not lead to a decision.
	 */
	private Runnable failure(int replies) {
		Map<QuorumNode, Throwable> failures = new LinkedHashMap<>();
		this.votes.forEach((vote) -> Optional.ofNullable(vote.failure())
			.ifPresent((failure) -> failures.put(vote.node(), failure)));
		Throwable reason = QuorumFailures.of("acquire", this.sent.target(), this.quorum, replies, failures,
				count(QuorumVote::isPerhapsOurs) > 0);
		return () -> this.outcome.completeExceptionally(reason);
	}

	/**
	 * Take back all grants and possible grants. Grants of servers that have not replied
	 * yet are taken back when they reply.
	 */
	private Runnable lose(End end, Runnable tell) {
		this.end = end;
		List<Runnable> withdrawals = this.votes.stream().filter(QuorumVote::isPerhapsOurs).map(this::takeBack).toList();
		return () -> {
			withdrawals.forEach(Runnable::run);
			tell.run();
		};
	}

	private Runnable repliedLate(QuorumVote vote) {
		if (this.end == End.WON && vote.is(State.GRANTED)) {
			vote.become(State.RAISING);
			return () -> raise(vote);
		}
		if ((this.end == End.LOST || this.end == End.WITHDRAWN) && vote.isPerhapsOurs()) {
			return takeBack(vote);
		}
		return NOTHING;
	}

	/**
	 * Take the lock back from a server. If that fails, try again in the background.
	 */
	private Runnable takeBack(QuorumVote vote) {
		boolean late = vote.isInDoubt();
		this.usedUp |= late;
		this.takingBack++;
		// A server that has replied to every copy of the attempt has no late copy to
		// refuse.
		Supplier<CompletionStage<Void>> withdrawal = () -> vote.node()
			.store()
			.withdraw(this.sent, Duration.ZERO, !late)
			.thenRun(() -> tookBack(vote, late));
		return () -> Futures.attempt(withdrawal).whenComplete((done, failure) -> {
			if (failure != null) {
				this.leftovers.add(vote.node(), this.sent.timeToLive(), withdrawal);
			}
		});
	}

	private void tookBack(QuorumVote vote, boolean late) {
		step(() -> {
			this.takingBack--;
			if (late) {
				vote.withdrawn();
			}
			return NOTHING;
		});
	}

	private QuorumVote vote(QuorumNode node) {
		return this.votes.stream().filter((vote) -> vote.node().equals(node)).findFirst().orElseThrow();
	}

	private boolean isSettled() {
		return this.votes.stream().allMatch(QuorumVote::isSettled);
	}

	private int count(Predicate<QuorumVote> kind) {
		return (int) this.votes.stream().filter(kind).count();
	}

	/**
	 * How the attempt ended for the requester.
	 */
	private enum End {

		WON, LOST, WITHDRAWN, UNKNOWN

	}

}
