package io.github.redislock.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;

/**
 * A timer that delegates to the timer of a host; mistakes override single methods.
 */
class ForwardingTimer implements LockTimer {

	private final Host host;

	ForwardingTimer(Host host) {
		this.host = host;
	}

	@Override
	public long nanoTime() {
		return this.host.nanoTime();
	}

	@Override
	public Instant now() {
		return this.host.now();
	}

	@Override
	public Future<?> schedule(Runnable task, Duration delay) {
		return this.host.schedule(task, delay);
	}

	@Override
	public void close() {
		this.host.close();
	}

}
