package io.github.redislock;

/**
 * What happened to a lock that its holder released.
 *
 * @see LockHandle#release()
 */
public enum ReleaseOutcome {

	/**
	 * The lock was held until now. It is now free, was passed on, is kept for the time
	 * set by {@link LockOptions#atLeastFor}, or is still held through another handle.
	 */
	RELEASED,

	/**
	 * The lock was lost before the release, for example because it expired or was taken
	 * away.
	 */
	NOT_HELD,

	/**
	 * The lock is kept until the transaction that it protects has ended. That is the
	 * transaction that was active when the lock was acquired or, if there was none, when
	 * {@code release} was called.
	 * @see io.github.redislock.LockConfiguration#commitGuard
	 */
	DEFERRED,

	/**
	 * The store did not reply, so the release is retried in the background. The outcome
	 * is also unknown if the store replied only after the lease had ended, and the lock
	 * was no longer held.
	 */
	UNKNOWN

}
