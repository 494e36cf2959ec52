package io.github.redislock.internal.support;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * How long a lock stays with its holder without renewal.
 *
 * @param duration the length, or {@code null} for a lock that never expires
 */
public record LeaseLength(@Nullable Duration duration) {

	public static final LeaseLength ENDLESS = new LeaseLength(null);

	/** Shorter leases are dominated by network and scheduling delays. */
	public static final Duration SHORTEST = Duration.ofMillis(10);

	public static final Duration LONGEST = Duration.ofDays(3_650);

	/**
	 * With the default grace period, a claim of this length stays in the store for one
	 * second.
	 */
	private static final Duration LONGEST_CLAIM = Duration.ofMillis(900);

	private static final Duration LEAST_GRACE = Duration.ofMillis(100);

	/**
	 * Return a length that was set with the option {@code timeout}.
	 */
	public static LeaseLength of(Duration duration) {
		Durations.requireAtLeast("timeout", duration, SHORTEST);
		if (duration.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"timeout must be at most %s but is %s; use neverExpires() for a lock without expiry"
						.formatted(Durations.describe(LONGEST), Durations.describe(duration)));
		}
		return new LeaseLength(duration);
	}

	/**
	 * Return the length, which must not be endless.
	 */
	public Duration required() {
		return Objects.requireNonNull(this.duration, "an endless lease has no length");
	}

	/**
	 * Return this length, or the maximum hold time if that is shorter.
	 * @param maxHold {@code null} if there is none
	 */
	public LeaseLength atMost(@Nullable Duration maxHold) {
		return (maxHold != null && this.duration != null && this.duration.compareTo(maxHold) > 0) ? of(maxHold) : this;
	}

	/**
	 * Fail if there is no time for a second renewal.
	 * @param subject names the lock in the message
	 * @param renewEvery the wanted interval
	 */
	public void requireTimeToRenew(String subject, Duration renewEvery) {
		if (this.duration != null) {
			Durations.requireAtMost(
					"%s with a lease of %s needs time for a second renewal if one is lost: renewEvery (at least 100ms)"
						.formatted(subject, this),
					renewEvery, Durations.part(this.duration, 2));
		}
	}

	/**
	 * Return how long a lock that is handed over is kept for the next owner until that
	 * owner confirms it. This is long enough for a slow owner to confirm it, and short
	 * enough that a dead owner does not delay the waiters behind it for long.
	 */
	public Duration claim() {
		return (this.duration != null) ? Durations.min(this.duration, LONGEST_CLAIM) : LONGEST_CLAIM;
	}

	/**
	 * Return how long the holder may rely on the lease, counted from before the request
	 * was sent. This is the lease minus 1 % for clock drift and minus 2 ms for rounding.
	 */
	public static Duration validity(Duration lease) {
		return lease.minus(Durations.part(lease, 100)).minusMillis(2);
	}

	/**
	 * Return how long the store has to keep a lock with the given lease.
	 * @param grace how much longer than its lease the store keeps a lock, or {@code null}
	 * for the default
	 * @param atLeast the minimum time
	 */
	public static Duration timeToLive(Duration lease, @Nullable Duration grace, Duration atLeast) {
		return Durations.max(lease.plus((grace != null) ? grace : defaultGrace(lease)), atLeast);
	}

	/**
	 * Return how much longer than the lease the store keeps the lock: 5 % of the lease,
	 * but at least 100 ms.
	 * <p>
	 * The store uses its wall clock for expiry, and a small step of that clock must not
	 * end the lock early.
	 */
	public static Duration defaultGrace(Duration lease) {
		return Durations.max(Durations.part(lease, 20), LEAST_GRACE);
	}

	@Override
	public String toString() {
		return (this.duration != null) ? Durations.describe(this.duration) : "forever";
	}

}
