package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;

/**
 * Timers that run 0.7 seconds late.
 */
final class LateTimers implements Mistake {

	private static final Duration LATENESS = Duration.ofMillis(700);

	@Override
	public LockTimer timer(Host host) {
		return new ForwardingTimer(host) {

			@Override
			public Future<?> schedule(Runnable task, Duration delay) {
				return super.schedule(task, (delay.compareTo(Duration.ZERO) > 0) ? delay.plus(LATENESS) : delay);
			}

		};
	}

}
