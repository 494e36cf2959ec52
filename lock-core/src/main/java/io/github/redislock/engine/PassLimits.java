package io.github.redislock.engine;

import java.time.Duration;

/**
 * How many times and for how long one process may pass a lock between its own callers
 * before other processes get their turn.
 *
 * @param passes how many times the process may pass the lock on
 * @param slice how long the process may pass the lock on, counted from the grant
 */
record PassLimits(int passes, Duration slice) {

	static final PassLimits DEFAULT = new PassLimits(32, Duration.ofMillis(20));

	/**
	 * Return how many fencing tokens to reserve: one for each possible hold.
	 */
	int tokens() {
		return this.passes + 1;
	}

}
