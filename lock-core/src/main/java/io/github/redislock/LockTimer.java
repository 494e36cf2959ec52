package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

/**
 * The clock and scheduler of a template, used to measure leases and to schedule renewals.
 */
public interface LockTimer extends AutoCloseable {

	/**
	 * Return a timer that uses the system's clocks and one daemon thread.
	 * @return a new timer, to be closed by the caller
	 */
	static LockTimer system() {
		return new SystemLockTimer();
	}

	/**
	 * Return the monotonic time by which leases are measured. It is not related to the
	 * time of day.
	 * @return nanoseconds since an arbitrary moment
	 */
	long nanoTime();

	/**
	 * Return the time of day.
	 * @return the current time, which may jump
	 */
	Instant now();

	/**
	 * Return the time of day in milliseconds. Called often: each time a lease is checked.
	 * @return the same time as {@link #now()}
	 */
	default long currentTimeMillis() {
		return now().toEpochMilli();
	}

	/**
	 * Run a short task once after a delay.
	 * @param task must not block
	 * @param delay how long to wait; zero or less runs it as soon as possible
	 * @return a future that can cancel the task
	 */
	Future<?> schedule(Runnable task, Duration delay);

	/**
	 * Discard all tasks and stop the timer.
	 */
	@Override
	void close();

}
