package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

/**
 * The clock and the scheduler of a template: leases are measured and renewals started by
 * it.
 */
public interface LockTimer extends AutoCloseable {

	/**
	 * Return a timer that runs with the system's clocks, on one daemon thread.
	 * @return a new timer, to be closed by whoever asked for it
	 */
	static LockTimer system() {
		return new SystemLockTimer();
	}

	/**
	 * Return the time that leases are measured by: monotonic, with no relation to a date.
	 * @return nanoseconds since an arbitrary moment
	 */
	long nanoTime();

	/**
	 * Return the time of day.
	 * @return the present moment, which may step
	 */
	Instant now();

	/**
	 * Return the time of day in milliseconds, which is asked for at each look at a lease.
	 * @return as of {@link #now()}
	 */
	default long currentTimeMillis() {
		return now().toEpochMilli();
	}

	/**
	 * Run a short task once, later.
	 * @param task must not block
	 * @param delay how long to wait; zero or less runs it as soon as possible
	 * @return the way to cancel the task
	 */
	Future<?> schedule(Runnable task, Duration delay);

	/**
	 * Forget all tasks and end.
	 */
	@Override
	void close();

}
