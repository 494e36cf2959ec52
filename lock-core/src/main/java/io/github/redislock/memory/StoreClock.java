package io.github.redislock.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.engine.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * The clock by which a store keeps its locks. An end is a point of time on it, or
 * {@code null} for never.
 */
final class StoreClock {

	private final LockTimer timer;

	StoreClock(LockTimer timer) {
		this.timer = timer;
	}

	/**
	 * Return the time of day.
	 */
	Instant now() {
		return this.timer.now();
	}

	/**
	 * Return the current point of time.
	 */
	long time() {
		return this.timer.nanoTime();
	}

	/**
	 * Return the end of a life that begins now.
	 * @param life its length, {@code null} means forever
	 */
	@Nullable Long end(@Nullable Duration life) {
		return (life != null) ? time() + life.toNanos() : null;
	}

	boolean isOver(@Nullable Long end) {
		return end != null && end - time() <= 0;
	}

	/**
	 * Return the time until an end, if there is one.
	 */
	Duration until(@Nullable Long end) {
		return (end != null) ? Duration.ofNanos(end - time()) : ChronoUnit.FOREVER.getDuration();
	}

	/**
	 * Return the end to which a life may be prolonged: the requested one, but never an
	 * earlier one; only a life without an end may be given one.
	 */
	static @Nullable Long prolonged(@Nullable Long present, @Nullable Long asked) {
		if (present == null || asked == null) {
			return asked;
		}
		return (asked - present > 0) ? asked : present;
	}

}
