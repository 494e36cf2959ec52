package io.github.redislock.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How it was noticed that a lock was lost.
 *
 * @param reason as text for a message
 * @param safeUntil the last monotonic time at which the lock was certainly ours
 */
record Loss(String reason, long safeUntil) {

	static Loss leaseOver(long validUntil) {
		return new Loss("its lease ran out and no renewal was confirmed", validUntil);
	}

	static Loss notRenewed(String why, long validUntil) {
		return new Loss("its lease ran out and was not renewed, since " + why, validUntil);
	}

	static Loss takenAway(long confirmedAt) {
		return new Loss("the store no longer knows it as ours (it was released by force, deleted or evicted)",
				confirmedAt);
	}

	/**
	 * A forced release is reported at once, but this process may have been paused for any
	 * time before it got the message.
	 */
	static Loss byForce(Instant toldAt, long confirmedAt) {
		return new Loss("it was released by force, told at " + toldAt.truncatedTo(ChronoUnit.MILLIS), confirmedAt);
	}

	static Loss shutDown(long now) {
		return new Loss("this instance shut down while it was held, and let it go", now);
	}

}
