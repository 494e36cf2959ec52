package io.github.redislock.campaign.history;

/**
 * How an attempt to have a lock ended.
 */
public enum Outcome {

	/** Had it, and let it go. */
	RELEASED,

	/** Had it until its lease was over. */
	LOST,

	/** Had it, and was told before the end of its lease that it is not his any more. */
	TAKEN,

	/** Had it, and its release was not replied to. */
	UNKNOWN,

	/** Was told that somebody else has it. */
	REFUSED,

	/** Was told that the store did not do its work. */
	STORE_FAILURE,

	/** Was interrupted while waiting. */
	INTERRUPTED,

	/** The template was closed meanwhile. */
	CLOSED,

	/** Its process was killed. */
	KILLED,

	/** Never ended. */
	STUCK;

	/**
	 * Return whether an attempt that ended so may have left the lock behind, to nobody.
	 * @return whether the store may keep it for the rest of a lease
	 */
	public boolean mayLeaveLockBehind() {
		return this != RELEASED;
	}

}
