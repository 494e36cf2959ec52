package io.github.redislock.benchmarks.contender;

/**
 * A held lock, which is released by the thread that acquired it.
 */
public interface Held {

	void release();

}
