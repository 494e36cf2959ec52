package io.github.redislock.samples.cluster.message;

/**
 * What may happen.
 */
public enum Kind {

	/** A worker runs, and will want the lock. */
	STARTED,

	/** A worker asks for the lock. */
	WAITS,

	/** The lock was handed over to a worker, which reports next that it holds it. */
	HANDED_OVER,

	/** A worker got the lock. */
	HOLDS,

	/** A worker works under the lock, and looks before each step whether it has it. */
	WORKS,

	/** The lease was renewed. */
	RENEWED,

	/** A worker has the lock, does not renew it, and does nothing for a long time. */
	HANGS,

	/** A worker was told that the lock is not its own any more. */
	LOST,

	/** A worker let the lock go. */
	RELEASED,

	/** A worker wanted to let the lock go, but had lost it. */
	NOT_RELEASED,

	/** A worker did not get the lock: Redis did not reply. */
	FAILED,

	/** A worker process was stopped without its noticing. */
	FROZEN,

	/** A worker process that was stopped goes on. */
	THAWED,

	/** A worker process was killed. */
	KILLED,

	/** A worker process ended by itself. */
	ENDED,

	/** The ledger refused what a former holder wrote too late. */
	REFUSED,

	/** Two workers claimed the lock at the same time, or its tokens did not grow. */
	VIOLATION,

	/** Redis replies nobody for a while. */
	REDIS_PAUSED,

	/** Redis replies again. */
	REDIS_BACK

}
