package io.github.redislock.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.redislock.support.Durations;
import io.github.redislock.support.LeaseLength;

/**
 * How long the holds of a tenure may rely on its lock, by this process's monotonic clock.
 * Thread-safe.
 * <p>
 * {@link PendingRequest} computes it, counted from before its request was sent.
 * {@link Tenure} keeps it, {@link Renewal} moves it and watches its end, and {@link Hold}
 * reports that end as a loss.
 */
final class LeaseDeadline {

	/** A time that never comes, in nanoseconds. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int RENEWALS_PER_LEASE = 3;

	private static final int RETRIES_PER_LEASE = 20;

	/** As for a lease of 30 s. */
	private static final Duration PAUSE_WITHOUT_END = Duration.ofMillis(1_500);

	/** How often to check whether a lock without expiry still exists. */
	private static final Duration LOOK_WITHOUT_END = Duration.ofSeconds(29);

	private final WatchedTimer timer;

	private final boolean endless;

	/** Everything below is guarded by this lease's monitor. */
	private long start;

	private long validUntil;

	private long confirmedAt;

	private long renewAt;

	private long length;

	/**
	 * The shortest requested lease without a reply: the request may still reach the
	 * store, and set the lease to just that.
	 */
	private long unanswered = Long.MAX_VALUE;

	/** The store has handed the lock over, and keeps it only briefly so far. */
	private boolean claim;

	/**
	 * Create the lease of a new hold.
	 * @param askedAt when the request that was granted was sent
	 */
	LeaseDeadline(WatchedTimer timer, LeaseLength lease, long askedAt) {
		this.timer = timer;
		this.confirmedAt = askedAt;
		Duration duration = lease.duration();
		this.endless = duration == null;
		if (duration != null) {
			set(askedAt, duration);
		}
		else {
			this.length = LOOK_WITHOUT_END.toNanos();
			lookAgain(askedAt);
		}
	}

	/**
	 * Create the lease of a lock that was handed over: short, until it is renewed.
	 * @param askedAt when the request was sent after which the lock was handed over
	 */
	static LeaseDeadline claim(WatchedTimer timer, LeaseLength lease, long askedAt) {
		LeaseDeadline held = new LeaseDeadline(timer, lease, askedAt);
		held.setClaim(askedAt, lease.claim());
		if (held.endless) {
			held.lookAgain(askedAt);
		}
		return held;
	}

	boolean isEndless() {
		return this.endless;
	}

	/**
	 * Return whether the lease is not yet as long as requested.
	 */
	synchronized boolean isClaim() {
		return this.claim;
	}

	/**
	 * Return whether enough of a claim is left for its renewal, even if the reply is half
	 * a second late.
	 */
	synchronized boolean isTrustworthy() {
		return Durations.nanos(remaining()) >= this.length / 3 * 2;
	}

	/**
	 * Return whether the next holder may rely on this lease as it is. It need not be
	 * fresh if it will be renewed anyway, but must not outlive a dead holder for longer
	 * than requested.
	 * @param fresh whether it has just begun
	 */
	synchronized boolean fits(AcquireSettings settings, boolean fresh) {
		if (this.endless) {
			return true;
		}
		Duration wanted = settings.lease().required();
		if (fresh && isSure() && (this.claim || this.length == Durations.nanos(wanted))) {
			return true;
		}
		Duration rest = remaining();
		if (this.claim) {
			return isTrustworthy();
		}
		Duration validity = LeaseLength.validity(wanted);
		Duration enough = settings.autoRenew() ? Durations.part(validity, 2)
				: validity.minus(Durations.part(wanted, 20));
		return rest.compareTo(enough) >= 0 && rest.compareTo(wanted) <= 0;
	}

	/**
	 * Return whether the holder may no longer rely on the lock.
	 */
	synchronized boolean isOver() {
		return !this.endless && this.timer.nanoTime() - this.validUntil >= 0;
	}

	/**
	 * Return whether the holder may rely on the lock, even if this machine was suspended
	 * while the time of day jumped. For a lease that is neither sure nor over, the store
	 * has to be asked.
	 */
	synchronized boolean isSure() {
		return this.endless || this.timer.nanoTime() - sureUntil() < 0;
	}

	/**
	 * Return how long the holder may rely on the lock.
	 */
	synchronized Duration remaining() {
		if (this.endless) {
			return ChronoUnit.FOREVER.getDuration();
		}
		// Reading the clock detects a jump.
		long now = this.timer.nanoTime();
		return Duration.ofNanos(Math.max(sureUntil() - now, 0));
	}

	/**
	 * Return how long the store keeps the lock at least, without its grace; zero for a
	 * lock without end.
	 */
	synchronized Duration rest() {
		return (this.endless && !this.claim) ? Duration.ZERO : until(this.start + this.length);
	}

	synchronized long validUntil() {
		return this.validUntil;
	}

	/**
	 * Return in how many nanoseconds this is no longer {@linkplain #isSure() sure} or, if
	 * it is not sure already, is over.
	 * @param now the timer's present reading
	 * @return {@link #NEVER} for a lease without end
	 */
	synchronized long endsIn(long now) {
		if (this.endless) {
			return NEVER;
		}
		long sure = sureUntil() - now;
		return (sure > 0) ? sure : this.validUntil - now;
	}

	/**
	 * Return until when the lease lasts if the time of day has jumped because the machine
	 * was suspended.
	 */
	private long sureUntil() {
		return this.validUntil - jumped();
	}

	/**
	 * Return the last moment at which the lock was ours, as the store confirmed.
	 */
	synchronized long confirmedAt() {
		return this.confirmedAt;
	}

	/**
	 * Return in how many nanoseconds the next automatic renewal is due.
	 * @param now the timer's present reading
	 */
	synchronized long renewIn(long now) {
		return this.renewAt - jumped() - now;
	}

	/**
	 * Return the initial length of the lease.
	 */
	synchronized Duration length() {
		return Duration.ofNanos(this.length);
	}

	/**
	 * Note that the store knew the lock as ours.
	 * @param askedAt when it was asked
	 */
	synchronized void confirm(long askedAt) {
		if (askedAt - this.confirmedAt > 0) {
			this.confirmedAt = askedAt;
		}
	}

	/**
	 * Start the lease again.
	 * @param askedAt when the store was asked for it
	 */
	synchronized void set(long askedAt, Duration lease) {
		this.length = Math.min(Durations.nanos(lease), this.unanswered);
		this.start = askedAt;
		this.validUntil = askedAt + Durations.nanos(LeaseLength.validity(Duration.ofNanos(this.length)));
		this.renewAt = askedAt + this.length / RENEWALS_PER_LEASE;
		this.claim = false;
	}

	private synchronized void setClaim(long askedAt, Duration lease) {
		set(askedAt, lease);
		this.claim = true;
	}

	/**
	 * Limit the lease to the one about to be requested: the store may apply it even if
	 * its reply is lost.
	 */
	synchronized void boundBy(long askedAt, Duration lease) {
		long bound = askedAt + Durations.nanos(LeaseLength.validity(lease));
		if (bound - this.validUntil < 0) {
			this.validUntil = bound;
			long third = askedAt + Durations.nanos(lease) / RENEWALS_PER_LEASE + jumped();
			this.renewAt = (third - this.renewAt < 0) ? third : this.renewAt;
		}
	}

	/**
	 * Note that a request for another lease may still reach the store: from now on no
	 * longer lease counts, even if the store confirms one.
	 */
	synchronized void doubt(Duration lease) {
		this.unanswered = Math.min(Durations.nanos(lease), this.unanswered);
	}

	/**
	 * Return whether a request for another lease may still reach the store.
	 */
	synchronized boolean isInDoubt() {
		return this.unanswered != Long.MAX_VALUE;
	}

	/**
	 * Check again later whether a lock without expiry still exists.
	 * @param askedAt when the store was asked last
	 */
	synchronized void lookAgain(long askedAt) {
		this.renewAt = askedAt + LOOK_WITHOUT_END.toNanos();
	}

	/**
	 * Try the renewal again soon.
	 * @param lease the wanted lease
	 */
	synchronized void retryRenewal(LeaseLength lease) {
		long pause = this.endless ? PAUSE_WITHOUT_END.toNanos()
				: Math.min(this.length, Durations.nanos(lease.required())) / RETRIES_PER_LEASE;
		this.renewAt = this.timer.nanoTime() + pause + jumped();
	}

	/**
	 * Return the pause before the store is asked again after a failure.
	 */
	synchronized Duration pause() {
		return this.endless ? PAUSE_WITHOUT_END : Duration.ofNanos(this.length / RETRIES_PER_LEASE);
	}

	private long jumped() {
		return this.endless ? 0 : this.timer.jumpedSince(this.start);
	}

	private Duration until(long moment) {
		return Duration.ofNanos(Math.max(moment - this.timer.nanoTime(), 0));
	}

}
