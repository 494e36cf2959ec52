package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * A timer that checks at each reading whether the wall clock has jumped ahead of the
 * monotonic clock. The monotonic clock may stop while the machine is suspended, but
 * leases in the store continue to run. Thread-safe.
 * <p>
 * The wall clock may also have been set by hand, so a lock is not lost because of a jump
 * alone: if its lease may be over, the store is asked.
 */
final class JumpDetectingTimer implements LockTimer {

	/** Smaller differences are noise or gradual adjustments of the clock. */
	private static final long LEAST_JUMP = Duration.ofMillis(50).toNanos();

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final int REMEMBERED = 64;

	private final LockTimer timer;

	private volatile long difference;

	private volatile @Nullable Jump last;

	private volatile Runnable onJump = () -> {
	};

	JumpDetectingTimer(LockTimer timer) {
		this.timer = timer;
		this.difference = timeOfDay() - timer.nanoTime();
	}

	/**
	 * Set an action that runs after each forward jump, on the timer's thread.
	 */
	void onJump(Runnable action) {
		this.onJump = action;
	}

	@Override
	public long nanoTime() {
		// Read the wall clock first, so that a suspension in between is noticed at the
		// next reading.
		long timeOfDay = timeOfDay();
		long time = this.timer.nanoTime();
		return (Math.abs(timeOfDay - time - this.difference) > LEAST_JUMP) ? note() : time;
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

	/**
	 * Return how much more time may have passed since a moment than the monotonic clock
	 * shows.
	 * @param moment an earlier {@link #nanoTime()}
	 * @return the difference in nanoseconds, zero or more
	 */
	long jumpedSince(long moment) {
		long sum = 0;
		for (Jump jump = this.last; jump != null && jump.seenAt() - moment > 0; jump = jump.before()) {
			sum += jump.nanos();
		}
		return sum;
	}

	/**
	 * Read both clocks again, because a thread that was paused between the two readings
	 * saw a jump that did not happen, and record the jump if there is one.
	 * @return the new time of the monotonic clock, at which the jump is recorded
	 */
	private synchronized long note() {
		long timeOfDay = timeOfDay();
		long time = this.timer.nanoTime();
		long jump = timeOfDay - time - this.difference;
		this.difference += jump;
		if (jump <= LEAST_JUMP) {
			// The clock went back, or another thread has already recorded the jump.
			return time;
		}
		Jump before = this.last;
		boolean full = before != null && before.count() == REMEMBERED;
		this.last = (before == null || full)
				? new Jump(time, jump + (full ? jumpedSince(time - Long.MAX_VALUE) : 0), null, 1)
				: new Jump(time, jump, before, before.count() + 1);
		this.timer.schedule(() -> this.onJump.run(), Duration.ZERO);
		return time;
	}

	private long timeOfDay() {
		return this.timer.currentTimeMillis() * NANOS_PER_MILLI;
	}

	/**
	 * A jump of the wall clock.
	 *
	 * @param seenAt the monotonic time at which it was noticed
	 */
	private record Jump(long seenAt, long nanos, @Nullable Jump before, int count) {
	}

}
