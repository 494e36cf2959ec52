package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs with the system's clocks, on one daemon thread.
 */
final class SystemLockTimer implements LockTimer {

	private static final Log logger = LogFactory.getLog(SystemLockTimer.class);

	private final ScheduledThreadPoolExecutor executor;

	SystemLockTimer() {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "redis-lock-timer");
			thread.setDaemon(true);
			return thread;
		}, new ScheduledThreadPoolExecutor.DiscardPolicy());
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

	@Override
	public Future<?> schedule(Runnable task, Duration delay) {
		return this.executor.schedule(() -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				// An executor keeps it in a future that nobody reads.
				logger.error("A task of a lock timer failed", ex);
			}
		}, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
