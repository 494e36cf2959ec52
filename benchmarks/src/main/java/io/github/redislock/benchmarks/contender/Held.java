package io.github.redislock.benchmarks.contender;

/**
 * A lock that is held; released by the thread that took it.
 */
public interface Held {

	/**
	 * Release the lock.
	 */
	void release();

}
