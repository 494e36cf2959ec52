package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

/**
 * The clock and the scheduler of a template, which measures leases and starts renewals.
 */
public interface LockTimer extends AutoCloseable {

	/**
	 * Return a timer that runs with the system's clocks, on one daemon thread.
	 * @return a new timer, to be closed by the caller
	 */
	static LockTimer system() {
		return new SystemLockTimer();
	}

	/**
	 * Return the time by which leases are measured: monotonic, without relation to a
	 * date.
	 * @return nanoseconds since an arbitrary moment
	 */
	long nanoTime();

	/**
	 * Return the time of day.
	 * @return the current time, which may jump
	 */
	Instant now();

	/**
	 * Return the time of day in milliseconds. Called at each check of a lease.
	 * @return as of {@link #now()}
	 */
	default long currentTimeMillis() {
		return now().toEpochMilli();
	}

	/**
	 * Run a short task once, later.
	 * @param task must not block
	 * @param delay how long to wait; zero or less runs it as soon as possible
	 * @return a future to cancel the task
	 */
	Future<?> schedule(Runnable task, Duration delay);

	/**
	 * Cancel all tasks and end.
	 */
	@Override
	void close();

}
