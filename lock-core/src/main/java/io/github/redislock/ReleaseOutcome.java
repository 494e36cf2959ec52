package io.github.redislock;

/**
 * What happened to a lock that its holder released.
 *
 * @see LockHandle#release()
 */
public enum ReleaseOutcome {

	/**
	 * The lock was ours until now. It is free, or stays closed for the time set by
	 * {@link LockOptions#atLeastFor}, or still belongs to an outer hold of the same
	 * thread.
	 */
	RELEASED,

	/**
	 * The lock was lost before: it expired, or was taken away.
	 */
	NOT_HELD,

	/**
	 * The lock stays ours and is renewed until the transaction that it protects has
	 * ended. That is the transaction in which it was taken, otherwise the one in which it
	 * was released.
	 * @see io.github.redislock.engine.LockConfiguration#transaction
	 */
	DEFERRED,

	/**
	 * The store did not reply; the release is tried again in the background until the
	 * lease is over. Or the store replied only later, when the lock was free or had
	 * another owner.
	 */
	UNKNOWN

}
