package io.github.redislock.campaign.worker;

import java.time.Duration;

import io.github.redislock.ReleaseOutcome;

/**
 * A lock under test that was given.
 */
interface Held {

	long token();

	String owner();

	boolean isHeld();

	Duration remaining();

	/**
	 * Change the lease as users may.
	 * @param lease how long the lock shall be ours from now on
	 */
	void renew(Duration lease);

	/**
	 * Add to the lease as users may.
	 * @param additional how much longer the lock shall be ours
	 */
	void extend(Duration additional);

	ReleaseOutcome release();

}
