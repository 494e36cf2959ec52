package io.github.redislock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes the lease of a hold: by itself while the hold lasts, and as its holder asks.
 * Wakes the hold, too, when its lease is over. Thread-safe.
 */
final class Renewal {

	private static final Log logger = LogFactory.getLog(Renewal.class);

	private final EngineParts parts;

	private final AcquireSettings settings;

	private final Hold hold;

	private final HeldLease lease;

	/**
	 * Everything below is guarded by this object's monitor, never held while calling out.
	 */
	private boolean stopped;

	private boolean renewing;

	private @Nullable Future<?> wakeUp;

	/** The last change that was asked for. The next one waits for it. */
	private CompletableFuture<?> lastChange = CompletableFuture.completedFuture(null);

	Renewal(EngineParts parts, AcquireSettings settings, Hold hold, HeldLease lease) {
		this.parts = parts;
		this.settings = settings;
		this.hold = hold;
		this.lease = lease;
	}

	/**
	 * Wake up when the next renewal is due or the lease over.
	 */
	synchronized void schedule() {
		cancelWakeUp();
		if (this.stopped || this.lease.isEndless()) {
			return;
		}
		long end = this.lease.validUntil();
		long renewAt = this.lease.renewAt();
		// The end is watched during a renewal, too: its answer may come after it.
		boolean renewalIsNext = this.settings.autoRenew() && !this.renewing && renewAt - end < 0;
		long delay = (renewalIsNext ? renewAt : end) - this.parts.timer().nanoTime();
		this.wakeUp = this.parts.timer().schedule(this::wokenUp, Duration.ofNanos(Math.max(delay, 0)));
	}

	/**
	 * Renew no more and wake nobody.
	 */
	synchronized void stop() {
		this.stopped = true;
		cancelWakeUp();
	}

	/**
	 * Return when the changes that were asked for up to now have been answered.
	 */
	synchronized CompletableFuture<?> lastChange() {
		return this.lastChange;
	}

	/**
	 * Ask the store for another lease, when it has answered the change before: over
	 * several connections this one might overtake it, and then the earlier would decide
	 * how long the store keeps the lock.
	 * @param wanted how long, asked when its turn has come
	 * @return whether the lock was ours still
	 */
	CompletionStage<Boolean> change(Supplier<Duration> wanted) {
		CompletableFuture<Boolean> change = new CompletableFuture<>();
		CompletableFuture<?> before;
		synchronized (this) {
			before = this.lastChange;
			this.lastChange = change;
		}
		before.handle((answer, failure) -> true)
			.thenCompose((answered) -> send(wanted.get()))
			.whenComplete((ours, failure) -> {
				if (failure != null) {
					change.completeExceptionally(failure);
				}
				else {
					change.complete(ours);
				}
			});
		return change;
	}

	/**
	 * Return the lease that was acquired; only where the lock is not endless.
	 */
	Duration ownLease() {
		return Objects.requireNonNull(this.settings.lease().duration());
	}

	private CompletionStage<Boolean> send(Duration wanted) {
		// The lock may have been let go while this change waited for its turn.
		this.hold.requireRenewable();
		long askedAt = this.parts.timer().nanoTime();
		this.lease.boundBy(askedAt, wanted);
		schedule();
		Duration timeToLive = this.parts.timeToLive(wanted, this.settings.atLeastFor().minus(this.hold.held()));
		return this.parts.store().renew(this.hold.target(), this.hold.owner(), timeToLive).thenApply((ours) -> {
			if (!ours) {
				this.hold.loseToOther();
				return false;
			}
			this.lease.confirm(askedAt);
			if (this.hold.isHeld()) {
				this.lease.set(askedAt, wanted);
				schedule();
			}
			return true;
		});
	}

	private void wokenUp() {
		this.hold.noticeEndOfLease();
		synchronized (this) {
			boolean due = this.settings.autoRenew() && !this.renewing
					&& this.parts.timer().nanoTime() - this.lease.renewAt() >= 0;
			this.renewing |= due;
			schedule();
			if (!due || this.stopped) {
				return;
			}
		}
		change(this::longerLease).whenComplete(this::renewed);
	}

	/**
	 * Return the lease to renew with: never shorten what the holder has extended by hand.
	 */
	private Duration longerLease() {
		Duration rest = this.lease.rest();
		return (rest.compareTo(ownLease()) > 0) ? rest : ownLease();
	}

	private void renewed(@Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			this.lease.retryRenewal(ownLease());
		}
		synchronized (this) {
			this.renewing = false;
			if (this.stopped) {
				// An answer that nobody waits for any more.
				return;
			}
			schedule();
		}
		if (failure != null) {
			LockStoreException reason = Failures.ofStore(this.hold.target(), failure);
			logger.warn("Lock '%s' could not be renewed, %s of its lease are left: %s".formatted(this.hold.target(),
					Durations.describe(this.lease.remaining()), reason.getMessage()));
			this.parts.listener().renewalFailed(this.hold.handle(), reason);
		}
		else if (Boolean.TRUE.equals(ours)) {
			logger.debug("Lock '%s' renewed for %s".formatted(this.hold.target(),
					Durations.describe(this.lease.remaining())));
			this.parts.listener().renewed(this.hold.handle());
		}
	}

	private void cancelWakeUp() {
		Future<?> present = this.wakeUp;
		if (present != null) {
			present.cancel(false);
			this.wakeUp = null;
		}
	}

}
