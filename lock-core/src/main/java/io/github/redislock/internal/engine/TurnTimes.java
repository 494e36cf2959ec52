package io.github.redislock.internal.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long the callers of a queue have had their lock recently. A turn begins with a
 * grant. It ends with the next grant, so that it includes the turns of other processes in
 * between, or with its release if no caller waits then.
 *
 * @param ended how many turns have ended, at most {@value #ENOUGH}
 * @param meanNanos the mean duration of a turn, weighted towards the latest ones
 * @param beganAt when the current turn began, if {@code running}
 */
record TurnTimes(int ended, long meanNanos, boolean running, long beganAt) {

	/** How many turns are needed for an estimate. */
	private static final int ENOUGH = 8;

	/**
	 * Return the times after the next turn has begun.
	 * @param before {@code null} if this is the first turn
	 */
	static TurnTimes next(@Nullable TurnTimes before, long now) {
		TurnTimes past = (before != null) ? before.end(now) : new TurnTimes(0, 0, false, now);
		return new TurnTimes(past.ended, past.meanNanos, true, now);
	}

	/**
	 * Return the times after the current turn has ended, if there is one.
	 */
	TurnTimes end(long now) {
		int count = Math.min(this.ended + 1, ENOUGH);
		return this.running
				? new TurnTimes(count, this.meanNanos + (now - this.beganAt - this.meanNanos) / count, false, now)
				: this;
	}

	/**
	 * Estimate how long a number of turns take.
	 * @return {@code null} if too few turns have ended
	 */
	@Nullable Duration estimate(int turns) {
		return (this.ended == ENOUGH) ? Duration.ofNanos(this.meanNanos).multipliedBy(turns) : null;
	}

}
