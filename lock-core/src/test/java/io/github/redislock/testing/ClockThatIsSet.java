package io.github.redislock.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;

/**
 * A timer whose time of day can be changed while its monotonic time stands still.
 */
public final class ClockThatIsSet implements LockTimer {

	private final LockTimer timer;

	private Duration ahead = Duration.ZERO;

	public ClockThatIsSet(LockTimer timer) {
		this.timer = timer;
	}

	public void set(Duration further) {
		this.ahead = this.ahead.plus(further);
	}

	@Override
	public long nanoTime() {
		return this.timer.nanoTime();
	}

	@Override
	public Instant now() {
		return this.timer.now().plus(this.ahead);
	}

	@Override
	public Future<?> schedule(Runnable task, Duration delay) {
		return this.timer.schedule(task, delay);
	}

	@Override
	public void close() {
		this.timer.close();
	}

}
