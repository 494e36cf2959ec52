package io.github.redislock.samples.cluster.message;

/**
 * The kinds of events.
 */
public enum Kind {

	/** A worker has started, and will request the lock. */
	STARTED,

	/** A worker requests the lock. */
	WAITS,

	/**
	 * The lock was handed over to a worker. The worker's next report is that it holds the
	 * lock.
	 */
	HANDED_OVER,

	/** A worker was granted the lock. */
	HOLDS,

	/**
	 * A worker works under the lock, and checks before each step whether it still holds
	 * the lock.
	 */
	WORKS,

	/** The lease was renewed. */
	RENEWED,

	/** A worker holds the lock without renewal, and does nothing for a long time. */
	HANGS,

	/** A worker was notified that it has lost the lock. */
	LOST,

	/** A worker released the lock. */
	RELEASED,

	/** A worker tried to release the lock, but had lost it. */
	NOT_RELEASED,

	/** A worker did not get the lock, for example because Redis did not reply. */
	FAILED,

	/** A worker process was frozen without its knowledge. */
	FROZEN,

	/** A worker process that was stopped resumes. */
	THAWED,

	/** A worker process was killed. */
	KILLED,

	/** A worker process ended unexpectedly. */
	ENDED,

	/** The ledger refused a late write of a former holder. */
	REFUSED,

	/** Two workers claimed the lock at the same time, or its tokens did not increase. */
	VIOLATION,

	/** Redis does not reply for a while. */
	REDIS_PAUSED,

	/** Redis replies again. */
	REDIS_BACK

}
