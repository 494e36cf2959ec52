package io.github.redislock;

/**
 * What became of a lock that its holder let go.
 *
 * @see LockHandle#release()
 */
public enum ReleaseOutcome {

	/**
	 * The lock was ours until now and is free, or stays closed as long as asked by
	 * {@link LockOptions#atLeastFor}, or still belongs to an outer hold of the same
	 * thread.
	 */
	RELEASED,

	/**
	 * The lock was lost before: it ran out, or somebody took it away.
	 */
	NOT_HELD,

	/**
	 * The lock stays ours, renewed as before, until the transaction that it protects has
	 * ended: that in which it was taken, else that in which it was let go.
	 * @see io.github.redislock.engine.LockConfiguration#transaction
	 */
	DEFERRED,

	/**
	 * The store did not answer: tried again in the background until the lease is over. Or
	 * it answered only after that, when the lock was nobody's or another's.
	 */
	UNKNOWN

}
