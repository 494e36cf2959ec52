package io.github.redislock.internal.engine;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * How long one holder wants to keep the lease of its tenure, according to its settings.
 * Thread-safe.
 */
final class HoldTerms {

	/**
	 * An extension of the lease by less than this is not worth a request.
	 */
	private static final Duration SHORTEST_GAIN = Duration.ofMillis(10);

	private final Lease lease;

	private final JumpDetectingTimer timer;

	private final AcquireSettings settings;

	private final HoldMonitor monitor;

	private final long begunAt;

	/**
	 * Create the terms of a hold that begins now.
	 */
	HoldTerms(Lease lease, JumpDetectingTimer timer, AcquireSettings settings, HoldMonitor monitor) {
		this.lease = lease;
		this.timer = timer;
		this.settings = settings;
		this.monitor = monitor;
		this.begunAt = timer.nanoTime();
	}

	Lease lease() {
		return this.lease;
	}

	AcquireSettings settings() {
		return this.settings;
	}

	HoldMonitor monitor() {
		return this.monitor;
	}

	long now() {
		return this.timer.nanoTime();
	}

	/**
	 * Return the time since the hold began.
	 */
	Duration held() {
		return Duration.ofNanos(now() - this.begunAt);
	}

	/**
	 * Return in how many nanoseconds the hold is to be reported as suspiciously long, or
	 * {@link Lease#NEVER}.
	 */
	long reportIn(long now) {
		Duration after = this.monitor.reportAfter();
		return (after != null) ? this.begunAt + Durations.nanos(after) - now : Lease.NEVER;
	}

	/**
	 * Return whether the holder's settings and monitor let automatic renewal continue.
	 */
	boolean goesOn() {
		return this.settings.autoRenew() && this.monitor.leak() == null && !isExhausted();
	}

	/**
	 * Return the lease to request with a renewal, limited by the maximum hold time.
	 */
	Duration wanted() {
		Duration own = this.settings.lease().required();
		if (!this.settings.autoRenew()) {
			// Without automatic renewal, the lease counts from the beginning of the hold.
			return own.minus(held());
		}
		Duration maxHold = this.settings.maxHold();
		return (maxHold != null) ? Durations.min(maxHold.minus(held()), own) : own;
	}

	/**
	 * Return the rest of the lease or, while the store has granted only a claim, the rest
	 * of the requested lease.
	 */
	Duration rest() {
		Duration rest = this.lease.rest();
		return this.lease.isClaim() ? Durations.max(rest, this.settings.lease().required().minus(held())) : rest;
	}

	/**
	 * Return why the lock is lost if nothing but its lease has ended.
	 */
	Loss end() {
		String leak = this.monitor.leak();
		long validUntil = this.lease.validUntil();
		if (leak != null) {
			return Loss.notRenewed(leak, validUntil);
		}
		Duration maxHold = this.settings.maxHold();
		return (this.settings.autoRenew() && maxHold != null && isExhausted())
				? Loss.notRenewed("it may be held for at most " + Durations.describe(maxHold), validUntil)
				: Loss.leaseOver(validUntil);
	}

	/**
	 * Return whether the maximum hold time leaves no room to extend the lease.
	 */
	private boolean isExhausted() {
		Duration maxHold = this.settings.maxHold();
		return maxHold != null && maxHold.minus(held()).minus(this.lease.rest()).compareTo(SHORTEST_GAIN) < 0;
	}

}
