package io.github.redislock.campaign.history;

/**
 * The outcome of an attempt to acquire a lock.
 */
public enum Outcome {

	/** Held and released. */
	RELEASED,

	/** Held until its lease was over. */
	LOST,

	/** Held, and reported as lost before its lease was over. */
	TAKEN,

	/** Held, but the release got no reply. */
	UNKNOWN,

	/** Refused, because another owner had the lock. */
	REFUSED,

	/** Failed because of the store. */
	STORE_FAILURE,

	/** Was interrupted while waiting. */
	INTERRUPTED,

	/** Ended because the template was closed. */
	CLOSED,

	/** Ended because its process was killed. */
	KILLED,

	/** Never ended. */
	STUCK;

	/**
	 * Return whether an attempt with this outcome may have left the lock behind without a
	 * holder. In that case, the store may keep the lock for the rest of a lease.
	 */
	public boolean mayLeaveLockBehind() {
		return this != RELEASED;
	}

}
