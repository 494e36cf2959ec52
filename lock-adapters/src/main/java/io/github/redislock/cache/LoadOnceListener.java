package io.github.redislock.cache;

import io.github.redislock.LockTarget;

/**
 * Learns how misses of a cache end. Called on the caller's thread or on one that
 * completes its future, so it must not block.
 */
@FunctionalInterface
public interface LoadOnceListener {

	/**
	 * Called when a miss with a loader ends, or when its load begins. Not called if the
	 * caller is refused with {@link io.github.redislock.LockNotAcquiredException}, or
	 * interrupted while it waits.
	 * @param lock the lock of the value
	 * @param outcome how the miss ends
	 */
	void missed(LockTarget lock, Outcome outcome);

	/**
	 * How a miss ends.
	 */
	enum Outcome {

		/**
		 * The caller loads the value under the lock.
		 */
		LOADED,

		/**
		 * The caller loads the value without the lock, for example because Redis does not
		 * reply or the waiting time is over.
		 */
		UNLOCKED,

		/**
		 * Another caller has loaded the value.
		 */
		WAITED,

		/**
		 * The waiting time is over, and the caller gets an old value.
		 */
		STALE

	}

}
