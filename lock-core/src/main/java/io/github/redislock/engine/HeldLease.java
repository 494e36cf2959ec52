package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;

/**
 * The lease of a tenure as one of its holders sees it: the holder's settings decide how
 * long it lasts, and the holder may change it. Thread-safe.
 */
final class HeldLease {

	/**
	 * An extension of the lease by less than this is not worth a request.
	 */
	private static final Duration SHORTEST_GAIN = Duration.ofMillis(10);

	private final Hold hold;

	private final WatchedTimer timer;

	private final AcquireSettings settings;

	private final long begunAt;

	HeldLease(Hold hold, WatchedTimer timer, AcquireSettings settings) {
		this.hold = hold;
		this.timer = timer;
		this.settings = settings;
		this.begunAt = timer.nanoTime();
	}

	AcquireSettings settings() {
		return this.settings;
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
	 * {@link LeaseDeadline#NEVER}.
	 */
	long reportIn(long now) {
		Duration after = this.hold.monitor().reportAfter();
		return (after != null) ? this.begunAt + Durations.nanos(after) - now : LeaseDeadline.NEVER;
	}

	/**
	 * Return whether the holder's settings and monitor let automatic renewal continue.
	 */
	boolean goesOn() {
		return this.settings.autoRenew() && this.hold.monitor().neglect() == null && !isExhausted();
	}

	/**
	 * Return the lease to request with a renewal.
	 */
	Duration wanted() {
		// Without automatic renewal, the lease counts from the beginning of the hold.
		return this.settings.autoRenew() ? anew() : this.settings.lease().required().minus(held());
	}

	/**
	 * Return the length of a lease that begins now, limited by the maximum hold time.
	 */
	Duration anew() {
		Duration own = this.settings.lease().required();
		Duration maxHold = this.settings.maxHold();
		return (maxHold != null) ? Durations.min(maxHold.minus(held()), own) : own;
	}

	/**
	 * Return why the lock is lost if its lease is over.
	 */
	Loss end() {
		String neglect = this.hold.monitor().neglect();
		long validUntil = deadline().validUntil();
		if (neglect != null) {
			return Loss.notRenewed(neglect, validUntil);
		}
		Duration maxHold = this.settings.maxHold();
		return (this.settings.autoRenew() && maxHold != null && isExhausted())
				? Loss.notRenewed("it may be held for at most " + Durations.describe(maxHold), validUntil)
				: Loss.leaseOver(validUntil);
	}

	CompletionStage<Void> renew(Duration lease) {
		Durations.requireBetween("renew(lease)", lease, LeaseLength.SHORTEST, LeaseLength.LONGEST);
		requireChangeable();
		return change(() -> lease);
	}

	/**
	 * Start the lease again, with the length that it had when the lock was acquired.
	 */
	CompletionStage<Void> renew() {
		requireChangeable();
		return change(this.settings.lease()::required);
	}

	CompletionStage<Void> extend(Duration additional) {
		Durations.requireBetween("extend(additional)", additional, Duration.ofMillis(1), LeaseLength.LONGEST);
		requireChangeable();
		Durations.requireAtMost("the lease after extend(additional)", rest().plus(additional), LeaseLength.LONGEST);
		// The request contains the whole lease, so the time is added only once even if
		// the request is delivered twice.
		return change(() -> rest().plus(additional));
	}

	private void requireChangeable() {
		LockTarget target = this.hold.target();
		this.hold.noticeEndOfLease();
		if (this.hold.loss().isKnown()) {
			throw this.hold.lossAsException();
		}
		if (this.hold.isReleased()) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(target));
		}
		if (deadline().isEndless()) {
			throw new IllegalStateException("Lock '%s' never expires: its lease cannot be changed".formatted(target));
		}
	}

	CompletionStage<Boolean> verify() {
		this.hold.noticeEndOfLease();
		if (!this.hold.isKept()) {
			return CompletableFuture.completedFuture(false);
		}
		if (!deadline().isSure()) {
			Renewal renewal = this.hold.tenure().renewal();
			return renewal.change(renewal::wantedLease).thenApply((ours) -> ours && this.hold.isHeld());
		}
		long askedAt = now();
		return this.hold.tenure().isOwner().thenApply((ours) -> {
			if (ours) {
				deadline().confirm(askedAt);
			}
			else {
				this.hold.tenure().loseToOther();
			}
			return ours && this.hold.isHeld();
		});
	}

	/**
	 * Return the rest of the lease or, while the store has granted only a claim, the rest
	 * of the requested lease.
	 */
	private Duration rest() {
		Duration rest = deadline().rest();
		return deadline().isClaim() ? Durations.max(rest, this.settings.lease().required().minus(held())) : rest;
	}

	/**
	 * Return whether the maximum hold time leaves no room to extend the lease.
	 */
	private boolean isExhausted() {
		Duration maxHold = this.settings.maxHold();
		return maxHold != null && maxHold.minus(held()).minus(deadline().rest()).compareTo(SHORTEST_GAIN) < 0;
	}

	private CompletionStage<Void> change(Supplier<Duration> wanted) {
		return this.hold.tenure().renewal().change(this::requireChangeable, wanted).thenAccept(this::requireOurs);
	}

	private void requireOurs(boolean ours) {
		if (!ours || !this.hold.isHeld()) {
			throw this.hold.lossAsException();
		}
	}

	private LeaseDeadline deadline() {
		return this.hold.tenure().lease();
	}

}
