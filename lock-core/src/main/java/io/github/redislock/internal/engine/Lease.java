package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a tenure: whether its holds may rely on the lock, and until when,
 * according to this process's monotonic clock. Thread-safe.
 * <p>
 * {@link PendingRequest} creates it, counted from before the request was sent.
 * {@link Tenure} keeps it, {@link Renewal} extends it and watches for its end, and
 * {@link Hold} reports the loss.
 */
final class Lease {

	/** A time in nanoseconds that is never reached. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int RENEWALS_PER_LEASE = 3;

	private static final int RETRIES_PER_LEASE = 20;

	/** The pause before a retry for a lock without expiry, as for a lease of 30 s. */
	private static final Duration PAUSE_WITHOUT_END = Duration.ofMillis(1_500);

	/** How often to check whether a lock without expiry still exists. */
	private static final Duration LOOK_WITHOUT_END = Duration.ofSeconds(29);

	private final JumpDetectingTimer timer;

	private final boolean endless;

	private @GuardedBy("this") long start;

	private @GuardedBy("this") long validUntil;

	private @GuardedBy("this") long confirmedAt;

	private @GuardedBy("this") long renewAt;

	private @GuardedBy("this") long length;

	/** The wanted time between two renewals, by default longer than any lease. */
	private @GuardedBy("this") long renewEvery;

	/**
	 * The shortest requested lease that got no reply. The request may still arrive at the
	 * store and set that lease.
	 */
	private @GuardedBy("this") long unanswered = Long.MAX_VALUE;

	/** When the longest requested lease that got no reply ends. */
	private @GuardedBy("this") long unansweredUntil;

	/** Whether the lock was handed over and its full lease is not confirmed yet. */
	private @GuardedBy("this") boolean claim;

	/** The number of messages about forced releases. */
	private @GuardedBy("this") int forces;

	/**
	 * When the last message about a forced release came; {@code null} if none came, or
	 * once the store has confirmed the lock in reply to a later question.
	 */
	private @GuardedBy("this") @Nullable Instant forcedAt;

	/** Why the lock is lost, unless only its lease has ended. */
	private @GuardedBy("this") @Nullable Loss loss;

	/**
	 * Create the lease of a lock that was granted.
	 * @param askedAt when the granted request was sent
	 */
	Lease(JumpDetectingTimer timer, AcquireSettings settings, long askedAt) {
		this.timer = timer;
		this.confirmedAt = askedAt;
		this.unansweredUntil = askedAt;
		this.renewEvery = Durations.nanos(settings.renewEvery());
		Duration duration = settings.lease().duration();
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
	 * Create the lease of a lock that was handed over. It is short until it is renewed.
	 * @param askedAt when the request that preceded the hand-over was sent
	 */
	static Lease claim(JumpDetectingTimer timer, AcquireSettings settings, long askedAt) {
		Lease held = new Lease(timer, settings, askedAt);
		synchronized (held) {
			held.set(askedAt, settings.lease().claim());
			held.claim = true;
		}
		return held;
	}

	boolean isEndless() {
		return this.endless;
	}

	synchronized boolean isClaim() {
		return this.claim;
	}

	/**
	 * Return whether at least two thirds of a claim are left, which is enough time to
	 * renew it.
	 */
	synchronized boolean isTrustworthy() {
		return Durations.nanos(remaining()) >= this.length / 3 * 2;
	}

	/**
	 * Return whether the next holder can use this lease without a renewal. Enough of it
	 * must be left, and it must not last longer than that holder wants, in case the
	 * holder dies.
	 * @param fresh whether the lease has just begun
	 */
	synchronized boolean fits(AcquireSettings settings, boolean fresh) {
		if (this.endless) {
			return true;
		}
		Duration wanted = settings.lease().required();
		if (fresh && standing() == Standing.SURE && (this.claim || this.length == Durations.nanos(wanted))) {
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
	 * Return whether the lock is sure, unsure or lost. It is unsure if a jump of the wall
	 * clock means that this machine was suspended beyond the end of the lease, or after a
	 * message about a forced release, which may be older than this lease.
	 */
	synchronized Standing standing() {
		if (this.loss != null || isOver()) {
			return Standing.LOST;
		}
		return (mayBeOver() || isForced()) ? Standing.UNSURE : Standing.SURE;
	}

	/**
	 * Return whether the lease has ended.
	 */
	synchronized boolean isOver() {
		return !this.endless && this.timer.nanoTime() - this.validUntil >= 0;
	}

	/**
	 * Return whether the lease has ended if all jumps of the wall clock were suspensions
	 * of the machine.
	 */
	synchronized boolean mayBeOver() {
		return !this.endless && this.timer.nanoTime() - sureUntil() >= 0;
	}

	/**
	 * Return whether a message about a forced release came, and the store has not
	 * confirmed the lock since then.
	 */
	synchronized boolean isForced() {
		return this.forcedAt != null;
	}

	/**
	 * Return how many messages about forced releases have come. To be read before the
	 * store is asked, because a reply may be older than a message.
	 */
	synchronized int forces() {
		return this.forces;
	}

	/**
	 * Record a message about a forced release.
	 */
	synchronized void force() {
		this.forces++;
		this.forcedAt = this.timer.now();
	}

	/**
	 * Record that the store does not know the lock as ours.
	 */
	synchronized void refuse() {
		Instant forced = this.forcedAt;
		lose((forced != null) ? Loss.byForce(forced, this.confirmedAt) : Loss.takenAway(this.confirmedAt));
	}

	/**
	 * Record that the lock is lost. The first reason counts.
	 */
	synchronized void lose(Loss reason) {
		this.loss = (this.loss != null) ? this.loss : reason;
	}

	/**
	 * Return why the lock is lost; {@code null} if it is not, or if only its lease has
	 * ended.
	 */
	synchronized @Nullable Loss loss() {
		return this.loss;
	}

	/**
	 * Return how long the holder may rely on the lock.
	 */
	synchronized Duration remaining() {
		if (this.loss != null || isForced()) {
			return Duration.ZERO;
		}
		if (this.endless) {
			return ChronoUnit.FOREVER.getDuration();
		}
		// Read the clock first, because that detects a jump.
		long now = this.timer.nanoTime();
		return Duration.ofNanos(Math.max(sureUntil() - now, 0));
	}

	/**
	 * Return the rest of the lease in the store, without the grace period, as far as this
	 * process knows. For a lock that never expires, this is zero.
	 */
	synchronized Duration rest() {
		return this.endless ? Duration.ZERO
				: Duration.ofNanos(Math.max(this.start + this.length - this.timer.nanoTime(), 0));
	}

	/**
	 * Return how long the store may keep the lock, without the grace period: for the
	 * {@link #rest()}, or longer if it has applied a lease but its reply was lost. Not
	 * for locks that never expire.
	 */
	synchronized Duration longestRest() {
		return Durations.max(rest(), Duration.ofNanos(this.unansweredUntil - this.timer.nanoTime()));
	}

	synchronized long validUntil() {
		return this.validUntil;
	}

	/**
	 * Return in how many nanoseconds the lease {@linkplain #mayBeOver() may be over} or,
	 * if it already may be, will be over.
	 * @param now the timer's current time
	 * @return {@link #NEVER} for a lease that never ends
	 */
	synchronized long endsIn(long now) {
		if (this.endless) {
			return NEVER;
		}
		long sure = sureUntil() - now;
		return (sure > 0) ? sure : this.validUntil - now;
	}

	/**
	 * Return when the lease ends if all jumps of the wall clock were suspensions of the
	 * machine.
	 */
	private synchronized long sureUntil() {
		return this.validUntil - jumped();
	}

	/**
	 * Return the last time at which the lock was certainly ours, as confirmed by the
	 * store.
	 */
	synchronized long confirmedAt() {
		return this.confirmedAt;
	}

	/**
	 * Return in how many nanoseconds the next automatic renewal is due.
	 * @param now the timer's current time
	 */
	synchronized long renewIn(long now) {
		return this.renewAt - jumped() - now;
	}

	synchronized Duration length() {
		return Duration.ofNanos(this.length);
	}

	/**
	 * Set how often to renew the lease for its next holder. A renewal that is due earlier
	 * still takes place.
	 */
	synchronized void renewEvery(Duration every) {
		long wanted = Durations.nanos(every);
		if (wanted != this.renewEvery) {
			this.renewEvery = wanted;
			if (!this.endless) {
				renewBy(this.start + interval());
			}
		}
	}

	/**
	 * Return the time between two renewals, in nanoseconds.
	 */
	synchronized long interval() {
		return interval(this.length);
	}

	/**
	 * Return the wanted time between two renewals, or a third of the lease if the lease
	 * is too short for it.
	 */
	private synchronized long interval(long lease) {
		return (this.renewEvery <= lease / 2) ? this.renewEvery : lease / RENEWALS_PER_LEASE;
	}

	private synchronized void renewBy(long moment) {
		this.renewAt = (moment - this.renewAt < 0) ? moment : this.renewAt;
	}

	/**
	 * Record that the store has confirmed the lock as ours.
	 * @param askedAt when the request was sent
	 * @param forcesBefore the {@link #forces()} at that time
	 */
	synchronized void confirm(long askedAt, int forcesBefore) {
		this.confirmedAt += Math.max(askedAt - this.confirmedAt, 0);
		if (forcesBefore == this.forces) {
			this.forcedAt = null;
		}
	}

	/**
	 * Start the lease again.
	 * @param askedAt when the request for it was sent
	 */
	synchronized void set(long askedAt, Duration lease) {
		this.length = Math.min(Durations.nanos(lease), this.unanswered);
		this.start = askedAt;
		this.validUntil = askedAt + Durations.nanos(LeaseLength.validity(Duration.ofNanos(this.length)));
		this.renewAt = askedAt + interval();
		this.claim = false;
	}

	/**
	 * Limit the lease to the one about to be requested, because the store may apply the
	 * new lease even if its reply is lost.
	 */
	synchronized void boundBy(long askedAt, Duration lease) {
		long bound = askedAt + Durations.nanos(LeaseLength.validity(lease));
		if (bound - this.validUntil < 0) {
			this.validUntil = bound;
			renewBy(askedAt + interval(Durations.nanos(lease)) + jumped());
		}
	}

	/**
	 * Record that an earlier request for a lease may still arrive at the store. From now
	 * on a longer lease is not trusted, even if the store confirms it.
	 * @param askedAt when the request was sent
	 */
	synchronized void doubt(long askedAt, Duration lease) {
		this.unanswered = Math.min(Durations.nanos(lease), this.unanswered);
		this.unansweredUntil += Math.max(askedAt + Durations.nanos(lease) - this.unansweredUntil, 0);
	}

	synchronized boolean isInDoubt() {
		return this.unanswered != Long.MAX_VALUE;
	}

	/**
	 * Set when to check a lock again if it has no expiry.
	 * @param askedAt when the last request was sent
	 */
	synchronized void lookAgain(long askedAt) {
		this.renewAt = this.endless ? askedAt + LOOK_WITHOUT_END.toNanos() : this.renewAt;
	}

	/**
	 * Set when to try again to renew the lease.
	 * @param lease the wanted lease
	 */
	synchronized void retryRenewal(LeaseLength lease) {
		long pause = this.endless ? PAUSE_WITHOUT_END.toNanos()
				: Math.min(this.length, Durations.nanos(lease.required())) / RETRIES_PER_LEASE;
		this.renewAt = this.timer.nanoTime() + pause + jumped();
	}

	/**
	 * Return the pause before another request after a failure.
	 */
	synchronized Duration pause() {
		return this.endless ? PAUSE_WITHOUT_END : Duration.ofNanos(this.length / RETRIES_PER_LEASE);
	}

	private synchronized long jumped() {
		return this.endless ? 0 : this.timer.jumpedSince(this.start);
	}

}
