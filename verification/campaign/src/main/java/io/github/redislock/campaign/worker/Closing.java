package io.github.redislock.campaign.worker;

/**
 * When an instance began to release all its locks.
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
	 * Return when it began; the largest value if it has not.
	 */
	long at() {
		return this.at;
	}

}
