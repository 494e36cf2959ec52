package io.github.redislock.internal.support;

import java.time.Duration;

/**
 * Checks durations and formats them for people.
 */
public final class Durations {

	/**
	 * Longer than any process runs, but well below the range of a {@code long} in
	 * nanoseconds.
	 */
	private static final Duration LONGEST = Duration.ofDays(36_500);

	/** A longer duration cannot be counted in milliseconds. */
	private static final Duration FOREVER = Duration.ofMillis(Long.MAX_VALUE);

	private Durations() {
	}

	public static void requireBetween(String what, Duration duration, Duration least, Duration most) {
		requireAtLeast(what, duration, least);
		requireAtMost(what, duration, most);
	}

	public static void requireAtLeast(String what, Duration duration, Duration least) {
		if (duration == null) {
			throw new IllegalArgumentException(what + " must not be null");
		}
		if (duration.compareTo(least) < 0) {
			String rule = least.isZero() ? "must not be negative" : "must be at least " + describe(least);
			throw new IllegalArgumentException("%s %s but is %s".formatted(what, rule, describe(duration)));
		}
	}

	public static void requireAtMost(String what, Duration duration, Duration most) {
		if (duration.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be at most %s but is %s".formatted(what, describe(most), describe(duration)));
		}
	}

	public static Duration min(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	public static Duration max(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * Return a duration in nanoseconds, limited so that it can be added to a monotonic
	 * time without overflow.
	 */
	public static long nanos(Duration duration) {
		return min(duration, LONGEST).toNanos();
	}

	/**
	 * Return a duration divided by a number. {@link Duration#dividedBy} uses
	 * arbitrary-precision arithmetic, which is too slow for the path of an acquisition.
	 */
	public static Duration part(Duration whole, long divisor) {
		return Duration.ofNanos(nanos(whole) / divisor);
	}

	/**
	 * Return a duration with its unit: {@code 340ms}, {@code 12.4s}, {@code 5m 30s}.
	 */
	public static String describe(Duration duration) {
		if (duration.compareTo(FOREVER) >= 0) {
			return "forever";
		}
		if (duration.isNegative()) {
			return "-" + describe(max(duration, FOREVER.negated()).negated());
		}
		long millis = duration.toMillis();
		if (millis < 1_000) {
			return millis + "ms";
		}
		if (millis < 60_000) {
			long tenths = millis / 100;
			return (tenths % 10 == 0) ? (tenths / 10) + "s" : (tenths / 10) + "." + (tenths % 10) + "s";
		}
		long seconds = millis / 1_000;
		if (seconds < 3_600) {
			return describe(seconds, 60, "m", "s");
		}
		long minutes = seconds / 60;
		return (minutes < 1_440) ? describe(minutes, 60, "h", "m") : describe(minutes / 60, 24, "d", "h");
	}

	private static String describe(long count, int perUnit, String unit, String smallerUnit) {
		long rest = count % perUnit;
		return (count / perUnit) + unit + ((rest != 0) ? " " + rest + smallerUnit : "");
	}

}
