package io.github.redislock.redis.quorum;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * The vote of one server on one question for a lock. Guarded by the monitor of the
 * acquisition.
 */
final class QuorumVote {

	private final QuorumNode node;

	private State state = State.ASKED;

	private long token;

	private @Nullable LockState holder;

	private @Nullable Throwable failure;

	/** A question that was not replied to may take the lock there, now or later. */
	private boolean inDoubt;

	/** How often it was asked to take the lock back without a confirmation. */
	private int takingBack;

	private CompletableFuture<@Nullable Void> replied = new CompletableFuture<>();

	/**
	 * Create a vote that is asked for.
	 * @param inDoubt whether the same question may have been put to it before
	 */
	QuorumVote(QuorumNode node, boolean inDoubt) {
		this.node = node;
		this.inDoubt = inDoubt;
	}

	QuorumNode node() {
		return this.node;
	}

	boolean is(State state) {
		return this.state == state;
	}

	/**
	 * Return whether the lock is the requester's there, as far as is known.
	 */
	boolean isOurs() {
		return this.state == State.GRANTED || this.state == State.RAISING || this.state == State.CONFIRMED;
	}

	/**
	 * Return whether the server has replied, even with a refusal.
	 */
	boolean isReply() {
		return this.state != State.ASKED && this.state != State.FAILED && this.state != State.UNRAISED;
	}

	/**
	 * Return whether it may be the requester's there without the requester's knowing, or
	 * may become so: also if the same question, sent again, was replied to.
	 */
	boolean isInDoubt() {
		return this.inDoubt;
	}

	/**
	 * Return whether the lock may be the requester's there, now or later.
	 */
	boolean isPerhapsOurs() {
		return isOurs() || this.state == State.UNRAISED || this.inDoubt;
	}

	/**
	 * Return whether it was asked to take the lock back, and may not have done so.
	 */
	boolean isTakingBack() {
		return this.takingBack > 0;
	}

	/**
	 * Return whether nothing is under way to this server.
	 */
	boolean isSettled() {
		return this.state != State.ASKED && this.state != State.RAISING;
	}

	/**
	 * Return what completes when the question that is under way is over.
	 */
	CompletableFuture<@Nullable Void> replied() {
		return this.replied;
	}

	void askAgain() {
		become(State.ASKED);
		this.replied = new CompletableFuture<>();
	}

	void become(State next) {
		this.state = next;
		this.failure = null;
	}

	/**
	 * Note that a question failed, or the token that counts could not be written.
	 */
	void fail(Throwable reason) {
		this.state = (this.state == State.RAISING) ? State.UNRAISED : State.FAILED;
		this.failure = reason;
		this.inDoubt |= QuorumFailures.isOutcomeUnknown(reason);
	}

	void takeBack() {
		this.takingBack++;
	}

	/**
	 * Note that a grant was taken back.
	 */
	void tookBack() {
		this.takingBack = Math.max(this.takingBack - 1, 0);
	}

	/**
	 * Note that no question takes the lock there any more.
	 */
	void withdrawn() {
		this.inDoubt = false;
		this.takingBack = 0;
	}

	void reply(AcquireReply reply) {
		this.failure = null;
		if (reply instanceof AcquireReply.Granted granted) {
			this.state = State.GRANTED;
			this.token = granted.fencingToken();
		}
		else if (reply instanceof AcquireReply.Held held) {
			this.state = State.REFUSED;
			this.holder = held.holder();
		}
		else {
			this.state = State.WITHDRAWN;
		}
	}

	/**
	 * Return the fencing token that the server gave.
	 */
	long token() {
		return this.token;
	}

	/**
	 * Return the holder of the lock there, if it was refused.
	 */
	@Nullable LockState holder() {
		return (this.state == State.REFUSED) ? this.holder : null;
	}

	@Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * The state of a vote.
	 */
	enum State {

		/** The question is under way. */
		ASKED,

		/** The lock is the requester's there, with a token of that server. */
		GRANTED,

		/** The token that counts is on its way there. */
		RAISING,

		/** The lock is the requester's there, and every later token will be greater. */
		CONFIRMED,

		/** The lock is the requester's there, but counts for nothing. */
		UNRAISED,

		/** Another owner has it there. */
		REFUSED,

		/** The question had been withdrawn there. */
		WITHDRAWN,

		/** It has not replied, or not what it was asked. */
		FAILED

	}

}
