package io.github.redislock.redis;

import java.time.Duration;

/**
 * Compares the clock of Redis, by which keys expire, with this process's monotonic clock,
 * which never steps. Thread-safe.
 * <p>
 * A reply contains the server's time at some moment between request and reply, so the
 * result is the least by which the clock must have stepped.
 */
final class ServerClock {

	/** Less does not matter. */
	private static final long LEAST_STEP_NANOS = Duration.ofMillis(20).toNanos();

	/**
	 * Clocks run at different speeds, and are made to in order to correct them: up to 0.1
	 * % of the time between two replies is no step.
	 */
	private static final int SLEW = 1_000;

	/**
	 * Bounds of the server's clock less our own in nanoseconds, guarded by this object's
	 * monitor.
	 */
	private long least;

	private long most;

	private long observedAt;

	private boolean known;

	/**
	 * Take note of the server's time.
	 * @param millis the server's time, rounded down
	 * @param askedAt our own monotonic time of the question
	 * @param repliedAt our own monotonic time of the reply
	 * @return by how much its clock has stepped since the last time, zero if not at all
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
