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
	 * The store did not answer: tried again in the background until the lease is over.
	 */
	UNKNOWN

}
