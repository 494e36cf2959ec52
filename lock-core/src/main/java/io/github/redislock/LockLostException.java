package io.github.redislock;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * Thrown when the lock was lost while it was held. Stop the work, and check or undo what
 * was done since the loss. If the loss was noticed only at the release, the work has
 * already ended.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration unprotected;

	private final String reason;

	/**
	 * Create an exception for a lock that was lost.
	 * @param target the lock
	 * @param unprotected how long work may have run without protection
	 * @param reason how the loss was noticed and, if known, what happened to the work
	 */
	public LockLostException(LockTarget target, Duration unprotected, String reason) {
		super(target,
				"Lock '%s' was lost: %s. %s".formatted(target.name(), reason,
						(unprotected.toMillis() == 0) ? "Work is no longer protected: stop it"
								: "Work done in the last %s may not have been protected: check or undo it"
									.formatted(Durations.describe(unprotected))),
				null);
		this.unprotected = unprotected;
		this.reason = reason;
	}

	/**
	 * Return how long work may have run without protection, at most.
	 * @return the time since the last moment at which the lock was certainly held. For a
	 * lock that never expires and has not been checked with the store, this is the time
	 * since it was acquired
	 */
	public Duration getUnprotected() {
		return this.unprotected;
	}

	/**
	 * Return how the loss was noticed. If the exception is thrown at the release or
	 * before a commit, the text also describes what happened to the work.
	 * @return text for a message
	 */
	public String getReason() {
		return this.reason;
	}

}
