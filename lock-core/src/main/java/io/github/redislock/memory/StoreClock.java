package io.github.redislock.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a store. An end is a point in time on this clock, or {@code null} for
 * never.
 */
final class StoreClock {

	private final LockTimer timer;

	StoreClock(LockTimer timer) {
		this.timer = timer;
	}

	Instant now() {
		return this.timer.now();
	}

	long time() {
		return this.timer.nanoTime();
	}

	/**
	 * Return the end of a lifetime that begins now.
	 * @param life the length of the lifetime; {@code null} means forever
	 */
	@Nullable Long end(@Nullable Duration life) {
		return (life != null) ? time() + life.toNanos() : null;
	}

	boolean isOver(@Nullable Long end) {
		return end != null && end - time() <= 0;
	}

	/**
	 * Return the time until an end, or {@link ChronoUnit#FOREVER} if there is none.
	 */
	Duration until(@Nullable Long end) {
		return (end != null) ? Duration.ofNanos(end - time()) : ChronoUnit.FOREVER.getDuration();
	}

	/**
	 * Return the new end of a lifetime. It is the requested end, but not earlier than the
	 * present one, unless the present lifetime has no end.
	 */
	static @Nullable Long prolonged(@Nullable Long present, @Nullable Long asked) {
		if (present == null || asked == null) {
			return asked;
		}
		return (asked - present > 0) ? asked : present;
	}

}
