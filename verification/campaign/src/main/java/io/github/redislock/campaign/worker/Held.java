package io.github.redislock.campaign.worker;

import java.time.Duration;

import io.github.redislock.ReleaseOutcome;

/**
 * A granted lock under test.
 */
interface Held {

	long token();

	String owner();

	boolean isHeld();

	Duration remaining();

	/**
	 * Change the lease, as callers of the library may.
	 * @param lease how long to keep the lock from now on
	 */
	void renew(Duration lease);

	/**
	 * Extend the lease, as callers of the library may.
	 * @param additional how much longer to keep the lock
	 */
	void extend(Duration additional);

	ReleaseOutcome release();

}
