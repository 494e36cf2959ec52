package io.github.redislock.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Future;

import io.github.redislock.engine.LockTimer;

/**
 * A time of day that stands still whenever the monotonic time does.
 */
final class StillClock implements Mistake {

	@Override
	public LockTimer timer(Host host) {
		return new LockTimer() {

			@Override
			public long nanoTime() {
				return host.nanoTime();
			}

			@Override
			public Instant now() {
				return Host.EPOCH.plusNanos(host.nanoTime());
			}

			@Override
			public Future<?> schedule(Runnable task, Duration delay) {
				return host.schedule(task, delay);
			}

			@Override
			public void close() {
				host.close();
			}

		};
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return List.of(Fault.SUSPENDED_INSTANCE);
	}

}
