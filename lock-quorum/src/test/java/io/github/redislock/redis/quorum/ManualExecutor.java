package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.redislock.memory.ManualLockTimer;

/**
 * Runs tasks when a test advances the clock, on the thread of the test.
 */
final class ManualExecutor extends ScheduledThreadPoolExecutor {

	private final ManualLockTimer clock;

	ManualExecutor(ManualLockTimer clock) {
		super(1);
		this.clock = clock;
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
		if (isShutdown()) {
			throw new RejectedExecutionException();
		}
		this.clock.schedule(task, Duration.of(delay, unit.toChronoUnit()));
		return null;
	}

}
