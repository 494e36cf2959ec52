package io.github.redislock.redis;

import java.time.Duration;

/**
 * Detects steps of Redis's clock, which decides when keys expire, by comparing it with
 * this process's monotonic clock. Thread-safe.
 * <p>
 * The server reads its clock at an unknown moment between request and reply, so the
 * result is the smallest possible step.
 */
final class ServerClock {

	/** The smallest step to report. Smaller ones do not matter. */
	private static final long LEAST_STEP_NANOS = Duration.ofMillis(20).toNanos();

	/**
	 * Clocks drift or are slewed: a difference of up to 0.1 % of the time between two
	 * replies is not a step.
	 */
	private static final int SLEW = 1_000;

	/**
	 * The bounds of the difference between the server's clock and ours, in nanoseconds.
	 * Guarded by this object's monitor, like the next fields.
	 */
	private long least;

	private long most;

	private long observedAt;

	private boolean known;

	/**
	 * Record the server's time.
	 * @param millis the server's time, rounded down
	 * @param askedAt when the request was sent, by our monotonic clock in nanoseconds
	 * @param repliedAt when the reply arrived, by the same clock
	 * @return the step of the server's clock since the previous reply, which is negative
	 * if the clock was set back; zero if no step was detected
	 */
	synchronized Duration observe(long millis, long askedAt, long repliedAt) {
		long server = Duration.ofMillis(millis).toNanos();
		long nowLeast = server - repliedAt;
		long nowMost = server + Duration.ofMillis(1).toNanos() - askedAt;
		long noise = LEAST_STEP_NANOS + Math.abs(repliedAt - this.observedAt) / SLEW;
		long step = 0;
		if (this.known && nowLeast - this.most > noise) {
			step = nowLeast - this.most;
		}
		else if (this.known && this.least - nowMost > noise) {
			step = nowMost - this.least;
		}
		this.least = nowLeast;
		this.most = nowMost;
		this.observedAt = repliedAt;
		this.known = true;
		return Duration.ofNanos(step);
	}

}
