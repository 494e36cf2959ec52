package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.redislock.internal.support.DaemonThreads;
import io.github.redislock.internal.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A timer with the system's clocks and one daemon thread, which is started when needed.
 */
final class SystemLockTimer implements LockTimer {

	private static final Log logger = LogFactory.getLog(SystemLockTimer.class);

	private static final Duration LONGEST_END = Duration.ofSeconds(2);

	/** Cancels a task that is scheduled after the shutdown. */
	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			(worker) -> DaemonThreads.create("redis-lock-timer", worker),
			(task, closed) -> ((Future<?>) task).cancel(false));

	SystemLockTimer() {
		// Most tasks are cancelled long before they are due.
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return System.currentTimeMillis();
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

	@Override
	public Future<?> schedule(Runnable task, Duration delay) {
		return this.executor.schedule(() -> run(task), Durations.nanos(delay), TimeUnit.NANOSECONDS);
	}

	/**
	 * Drop all tasks, and wait a while for the thread to end.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
		try {
			this.executor.awaitTermination(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run(Runnable task) {
		try {
			// The executor still runs tasks that were due when it was shut down.
			if (!this.executor.isShutdown()) {
				task.run();
			}
		}
		catch (Throwable ex) {
			logger.error("A task of a lock timer failed", ex);
		}
	}

}
