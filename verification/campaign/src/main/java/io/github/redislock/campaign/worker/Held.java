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

	void renew(Duration lease);

	void extend(Duration additional);

	ReleaseOutcome release();

}
