package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

/**
 * A timer that notices, at each reading, how far the time of day has jumped ahead of the
 * monotonic time. The monotonic time stops while the machine is suspended, but leases in
 * the store go on. Thread-safe.
 * <p>
 * The clock may also have been set by hand, so a jump is a reason to ask the store and
 * never a loss.
 */
final class WatchedTimer implements LockTimer {

	/** Less is noise, or a clock that is adjusted gradually. */
	private static final long LEAST_JUMP = Duration.ofMillis(50).toNanos();

	private static final long NANOS_PER_MILLI = 1_000_000;

	private static final int REMEMBERED = 64;

	private final LockTimer timer;

	private volatile long difference;

	private volatile @Nullable Jump last;

	private volatile Runnable onJump = () -> {
	};

	WatchedTimer(LockTimer timer) {
		this.timer = timer;
		this.difference = timeOfDay() - timer.nanoTime();
	}

	/**
	 * Run an action after each jump, on the timer's thread.
	 */
	void onJump(Runnable action) {
		this.onJump = action;
	}

	@Override
	public long nanoTime() {
		// In this order, so that a suspension in between is noticed at the next reading.
		long timeOfDay = timeOfDay();
		long time = this.timer.nanoTime();
		if (Math.abs(timeOfDay - time - this.difference) > LEAST_JUMP) {
			note(timeOfDay, time);
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

	/**
	 * Return how much more time than the monotonic time shows may have passed since a
	 * moment.
	 * @param moment at which this timer was read
	 * @return nanoseconds, zero or more
	 */
	long jumpedSince(long moment) {
		long sum = 0;
		for (Jump jump = this.last; jump != null && jump.seenAt() - moment > 0; jump = jump.before()) {
			sum += jump.nanos();
		}
		return sum;
	}

	private void note(long timeOfDay, long time) {
		synchronized (this) {
			long jump = timeOfDay - time - this.difference;
			this.difference += jump;
			if (jump <= LEAST_JUMP) {
				// The clock went back, or another thread was faster.
				return;
			}
			Jump before = this.last;
			boolean full = before != null && before.count() == REMEMBERED;
			this.last = (before == null || full)
					? new Jump(time, jump + (full ? jumpedSince(time - Long.MAX_VALUE) : 0), null, 1)
					: new Jump(time, jump, before, before.count() + 1);
		}
		this.timer.schedule(() -> this.onJump.run(), Duration.ZERO);
	}

	private long timeOfDay() {
		return this.timer.currentTimeMillis() * NANOS_PER_MILLI;
	}

	/**
	 * How far the time of day has jumped.
	 *
	 * @param seenAt the monotonic time of the reading that noticed it
	 */
	private record Jump(long seenAt, long nanos, @Nullable Jump before, int count) {
	}

}
