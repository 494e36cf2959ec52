package io.github.redislock.benchmarks.contender;

/**
 * A lock that is held; let go by the thread that took it.
 */
public interface Held {

	/**
	 * Let the lock go.
	 */
	void release();

}
