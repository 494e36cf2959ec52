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
	 * Return that time, or the largest value if the instance has not begun.
	 */
	long at() {
		return this.at;
	}

}
