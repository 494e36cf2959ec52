package io.github.redislock.simulation;

import java.time.Instant;
import java.util.List;

import io.github.redislock.LockTimer;

/**
 * A wall clock that stops together with the monotonic clock.
 */
final class StillClock implements Mistake {

	@Override
	public LockTimer timer(Host host) {
		return new ForwardingTimer(host) {

			@Override
			public Instant now() {
				return Host.EPOCH.plusNanos(nanoTime());
			}

		};
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return List.of(Fault.SUSPENDED_INSTANCE);
	}

}
