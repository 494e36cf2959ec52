package io.github.redislock.redis;

import io.github.redislock.LockState;
import io.github.redislock.LockStore.AcquireAnswer;
import org.jspecify.annotations.Nullable;

/**
 * What one server says to one question for a lock. Guarded by the monitor of the
 * acquisition.
 */
final class QuorumVote {

	private final QuorumNode node;

	private State state = State.ASKED;

	private long token;

	private @Nullable LockState holder;

	private @Nullable Throwable failure;

	QuorumVote(QuorumNode node) {
		this.node = node;
	}

	QuorumNode node() {
		return this.node;
	}

	boolean is(State state) {
		return this.state == state;
	}

	/**
	 * Return whether the lock is the asker's there, as far as is known.
	 */
	boolean isOurs() {
		return this.state == State.GRANTED || this.state == State.RAISING || this.state == State.CONFIRMED;
	}

	/**
	 * Return whether the server has said something, be it no.
	 */
	boolean isAnswer() {
		return this.state != State.ASKED && this.state != State.FAILED;
	}

	/**
	 * Return whether it may be the asker's there without anybody's knowing.
	 */
	boolean isInDoubt() {
		return this.failure != null && QuorumFailures.isOutcomeUnknown(this.failure);
	}

	/**
	 * Return whether nothing is under way to this server.
	 */
	boolean isSettled() {
		return this.state != State.ASKED && this.state != State.RAISING;
	}

	void become(State next) {
		this.state = next;
		this.failure = null;
	}

	void fail(Throwable reason) {
		this.state = State.FAILED;
		this.failure = reason;
	}

	void answer(AcquireAnswer answer) {
		this.failure = null;
		if (answer instanceof AcquireAnswer.Granted granted) {
			this.state = State.GRANTED;
			this.token = granted.fencingToken();
		}
		else if (answer instanceof AcquireAnswer.Held held) {
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
	 * Return who has the lock there, if it was refused.
	 */
	@Nullable LockState holder() {
		return (this.state == State.REFUSED) ? this.holder : null;
	}

	@Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * How far it is.
	 */
	enum State {

		/** The question is under way. */
		ASKED,

		/** The lock is the asker's there, with a token of that server. */
		GRANTED,

		/** The token that counts is on its way there. */
		RAISING,

		/** The lock is the asker's there, and every later token will be greater. */
		CONFIRMED,

		/** Somebody else has it there. */
		REFUSED,

		/** The question had been withdrawn there. */
		WITHDRAWN,

		/** It has not answered, or not what it was asked. */
		FAILED

	}

}
