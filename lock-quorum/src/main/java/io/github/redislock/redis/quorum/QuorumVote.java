package io.github.redislock.redis.quorum;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * The vote of one server on one attempt. Guarded by the monitor of the acquisition.
 */
final class QuorumVote {

	private final QuorumNode node;

	private State state = State.ASKED;

	private long token;

	private @Nullable LockState holder;

	private @Nullable Throwable failure;

	/**
	 * Whether the requester may hold the lock on the server without a grant that counts:
	 * an earlier or failed copy of the attempt may have acquired it, or may still do so,
	 * or the agreed token may not have been written.
	 */
	private boolean inDoubt;

	private CompletableFuture<@Nullable Void> replied = new CompletableFuture<>();

	/**
	 * Create the vote of a server that is being asked.
	 * @param inDoubt whether the same attempt may have been sent to the server before
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
	 * Return whether the requester is known to hold the lock on the server.
	 */
	boolean isOurs() {
		return this.state == State.GRANTED || this.state == State.RAISING || this.state == State.CONFIRMED;
	}

	/**
	 * Return whether the server has replied since it was last asked, even with a refusal,
	 * and has not failed since then.
	 */
	boolean isReply() {
		return this.state != State.ASKED && this.state != State.FAILED;
	}

	/**
	 * Return whether the requester may hold the lock on the server without a grant that
	 * counts. This is possible even if a later copy of the attempt got a reply.
	 */
	boolean isInDoubt() {
		return this.inDoubt;
	}

	/**
	 * Return whether the requester may hold the lock on the server, now or later. A first
	 * copy of the attempt that is still under way does not count.
	 */
	boolean isPerhapsOurs() {
		return isOurs() || this.inDoubt;
	}

	/**
	 * Return whether neither the attempt nor the agreed token is under way to the server.
	 */
	boolean isSettled() {
		return this.state != State.ASKED && this.state != State.RAISING;
	}

	/**
	 * Return a future that completes when the attempt is no longer under way to the
	 * server.
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
	 * Record that the attempt failed, or that the agreed token could not be written.
	 */
	void fail(Throwable reason) {
		// If the token was not written, the server still has granted the lock.
		this.inDoubt |= this.state == State.RAISING || QuorumFailures.isOutcomeUnknown(reason);
		this.state = State.FAILED;
		this.failure = reason;
	}

	/**
	 * Record that the server refuses the attempt from now on, so that the attempt cannot
	 * acquire the lock there.
	 */
	void withdrawn() {
		this.inDoubt = false;
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

	long token() {
		return this.token;
	}

	/**
	 * Return the holder of the lock on the server, if the attempt was refused.
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

		/** The attempt is under way. */
		ASKED,

		/** The requester holds the lock on the server, with a token of that server. */
		GRANTED,

		/** The agreed token is being written to the server. */
		RAISING,

		/**
		 * The requester holds the lock on the server, whose token is at least the agreed
		 * one.
		 */
		CONFIRMED,

		/** Another owner holds the lock on the server, or the requester has lost it. */
		REFUSED,

		/** The attempt was withdrawn from the server. */
		WITHDRAWN,

		/** The last request to the server failed, or got no reply. */
		FAILED

	}

}
