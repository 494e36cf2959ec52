package io.github.redislock.campaign.worker;

/**
 * The time at which an instance began to release all its locks.
 */
final class Closing {

	private volatile long at = Long.MAX_VALUE;

	void begin() {
		this.at = System.nanoTime();
	}

	boolean isBegun() {
		return this.at != Long.MAX_VALUE;
	}

	/**
	 * Return the time at which the release began, or the largest value if it has not
	 * begun.
	 */
	long at() {
		return this.at;
	}

}
