package io.github.redislock.cache;

import io.github.redislock.LockTarget;

/**
 * Learns how each miss of a cache ends. Called on the caller's thread or on one that
 * completes its future, so it must not block.
 */
@FunctionalInterface
public interface LoadOnceListener {

	/**
	 * Called for each miss with a loader, unless the miss ends with
	 * {@link io.github.redislock.LockNotAcquiredException}. A load is reported when it
	 * begins.
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
