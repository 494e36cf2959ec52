package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action when the clock is read, so that a test can intervene between two steps.
 */
final class HookedTimer implements LockTimer {

	private final LockTimer timer;

	private final long offset;

	private @Nullable Runnable nextLook;

	private @Nullable Runnable eachLook;

	HookedTimer(LockTimer timer) {
		this(timer, 0);
	}

	HookedTimer(LockTimer timer, long offset) {
		this.timer = timer;
		this.offset = offset;
	}

	void onNextLook(Runnable action) {
		this.nextLook = action;
	}

	void onEachLook(@Nullable Runnable action) {
		this.eachLook = action;
	}

	@Override
	public long nanoTime() {
		long time = this.timer.nanoTime() + this.offset;
		Runnable action = this.nextLook;
		this.nextLook = null;
		if (action != null) {
			action.run();
		}
		if (this.eachLook != null) {
			this.eachLook.run();
		}
		return time;
	}

	@Override
	public Instant now() {
		return this.timer.now();
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
