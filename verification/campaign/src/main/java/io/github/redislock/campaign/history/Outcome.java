package io.github.redislock.campaign.history;

/**
 * How an attempt to acquire a lock ended.
 */
public enum Outcome {

	/** Held and released. */
	RELEASED,

	/** Held until its lease was over. */
	LOST,

	/** Held, and reported lost before the end of its lease. */
	TAKEN,

	/** Held, and its release got no reply. */
	UNKNOWN,

	/** Refused, since another owner has the lock. */
	REFUSED,

	/** Failed in the store. */
	STORE_FAILURE,

	/** Was interrupted while waiting. */
	INTERRUPTED,

	/** Ended by the closing of the template. */
	CLOSED,

	/** Its process was killed. */
	KILLED,

	/** Never ended. */
	STUCK;

	/**
	 * Return whether an attempt with this outcome may have left the lock behind without a
	 * holder. The store may then keep the lock for the rest of a lease.
	 */
	public boolean mayLeaveLockBehind() {
		return this != RELEASED;
	}

}
