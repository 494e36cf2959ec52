package io.github.redislock.samples.cluster.message;

/**
 * The kinds of events.
 */
public enum Kind {

	/** A worker has started, and will request the lock. */
	STARTED,

	WAITS,

	/**
	 * The lock was handed over to a worker, which reports {@link #HOLDS} afterwards.
	 */
	HANDED_OVER,

	HOLDS,

	/**
	 * A worker works under the lock, and checks before each step whether it still holds
	 * the lock.
	 */
	WORKS,

	RENEWED,

	/** A worker holds the lock without renewal, and does nothing for a long time. */
	HANGS,

	/** A worker was notified that it has lost the lock. */
	LOST,

	/** A worker has finished its work, and is about to release the lock. */
	DONE,

	RELEASED,

	/**
	 * A worker's release failed because the lock was lost, or Redis did not confirm the
	 * release.
	 */
	NOT_RELEASED,

	/** A worker did not get the lock, for example because Redis did not reply. */
	FAILED,

	/** A worker process was stopped, which it does not notice. */
	FROZEN,

	/** A worker process that was stopped resumes. */
	THAWED,

	KILLED,

	/** A worker process ended unexpectedly. */
	ENDED,

	/** The ledger refused a late write of a former holder. */
	REFUSED,

	/** Two workers claimed the lock at the same time, or its tokens did not increase. */
	VIOLATION,

	REDIS_PAUSED,

	REDIS_BACK

}
