package io.github.redislock;

/**
 * What happened to a lock that its holder released.
 *
 * @see LockHandle#release()
 */
public enum ReleaseOutcome {

	/**
	 * The lock was ours until now. It is now free, was passed on, is kept for the time
	 * set by {@link LockOptions#atLeastFor}, or is still held by an outer hold of the
	 * same thread.
	 */
	RELEASED,

	/**
	 * The lock was lost before the release: it expired, or was taken away.
	 */
	NOT_HELD,

	/**
	 * The lock stays ours and is renewed until the transaction that it protects has
	 * ended. It protects the transaction in which it was acquired or, if there was none,
	 * released.
	 * @see io.github.redislock.engine.LockConfiguration#transaction
	 */
	DEFERRED,

	/**
	 * The store did not reply, so the release is retried in the background until the
	 * lease is over. The outcome is also unknown if the store replied only after the
	 * lease had ended, when the lock was free or had another owner.
	 */
	UNKNOWN

}
