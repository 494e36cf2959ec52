package io.github.redislock.internal.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.LockLostException;

/**
 * The reason and the time of a loss.
 *
 * @param reason how the loss was noticed, as text for a message
 * @param safeUntil the last monotonic time at which the lock was certainly ours
 */
record Loss(String reason, long safeUntil) {

	static Loss leaseOver(long validUntil) {
		return new Loss("its lease ran out and no renewal was confirmed in time", validUntil);
	}

	static Loss notRenewed(String why, long validUntil) {
		return new Loss("its lease ran out and was not renewed because " + why, validUntil);
	}

	static Loss takenAway(long confirmedAt) {
		return new Loss("the store no longer knows this holder (for example, the lock was released by force,"
				+ " deleted or evicted, or the store lost its data)", confirmedAt);
	}

	/**
	 * Return the loss after a forced release. The lock may have been lost at any time
	 * since the last confirmation, because this process may have been paused before it
	 * got the message.
	 */
	static Loss byForce(Instant reportedAt, long confirmedAt) {
		return new Loss("it was released by force, as reported at " + reportedAt.truncatedTo(ChronoUnit.MILLIS),
				confirmedAt);
	}

	static Loss shutDown(long now) {
		return new Loss("this instance shut down while it was held", now);
	}

	/**
	 * Return the loss with a message that says that it was thrown at the release.
	 */
	static LockLostException atRelease(LockLostException lost) {
		return adding(lost, "; thrown at the release, so the work may have taken effect");
	}

	/**
	 * Return the loss to throw instead of the work's failure.
	 * @param lost the loss reported by the {@linkplain #atRelease release} after the
	 * failure
	 */
	static LockLostException afterFailure(LockLostException lost, Throwable failure) {
		LockLostException instead = adding(lost, " before it failed with the suppressed exception");
		instead.addSuppressed(failure);
		return instead;
	}

	private static LockLostException adding(LockLostException lost, String text) {
		return new LockLostException(lost.getTarget(), lost.getUnprotected(), lost.getReason() + text);
	}

}
