package io.github.redislock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.github.redislock.LockStore.AcquireRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes the lease of a tenure: by itself while somebody holds the lock, and as the
 * holder asks. Wakes the hold, too, when its lease is over. Thread-safe.
 */
final class Renewal {

	private static final Log logger = LogFactory.getLog(Renewal.class);

	private final EngineParts parts;

	private final Tenure tenure;

	private final HeldLease lease;

	/**
	 * Everything below is guarded by this object's monitor, never held while calling out.
	 */
	private boolean stopped;

	private boolean renewing;

	private @Nullable Future<?> wakeUp;

	/** The last change that was asked for. The next one waits for it. */
	private CompletableFuture<?> lastChange = CompletableFuture.completedFuture(null);

	Renewal(EngineParts parts, Tenure tenure, HeldLease lease) {
		this.parts = parts;
		this.tenure = tenure;
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
		boolean renewalIsNext = isWanted() && !this.renewing && renewAt - end < 0;
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
	 * Ask the store for another lease while the tenure lasts.
	 * @param wanted how long, asked when its turn has come
	 * @return whether the lock was ours still
	 */
	CompletionStage<Boolean> change(Supplier<Duration> wanted) {
		return change(this::requireGoingOn, wanted);
	}

	/**
	 * Ask the store for another lease, when it has answered the change before: over
	 * several connections this one might overtake it, and then the earlier would decide
	 * how long the store keeps the lock.
	 * @param allowed fails if, meanwhile, the lock was let go
	 * @param wanted how long, asked when its turn has come
	 * @return whether the lock was ours still
	 */
	CompletionStage<Boolean> change(Runnable allowed, Supplier<Duration> wanted) {
		CompletableFuture<Boolean> change = new CompletableFuture<>();
		CompletableFuture<?> before;
		synchronized (this) {
			before = this.lastChange;
			this.lastChange = change;
		}
		before.handle((answer, failure) -> true).thenCompose((answered) -> {
			allowed.run();
			return send(wanted.get());
		}).whenComplete((ours, failure) -> {
			if (failure != null) {
				change.completeExceptionally(failure);
			}
			else {
				change.complete(ours);
			}
		});
		return change;
	}

	private CompletionStage<Boolean> send(Duration wanted) {
		long askedAt = this.parts.timer().nanoTime();
		this.lease.boundBy(askedAt, wanted);
		schedule();
		Duration timeToLive = this.parts.timeToLive(wanted, this.tenure.lettingGo().keepFor());
		AcquireRequest request = this.tenure.request();
		CompletionStage<Boolean> answer = this.parts.store().renew(request.target(), request.owner(), timeToLive);
		return (this.lease.isClaim() ? soon(answer) : answer).thenApply((ours) -> {
			if (!ours) {
				this.tenure.loseToOther();
				return false;
			}
			this.lease.confirm(askedAt);
			if (isGoingOn() && !this.lease.isOver()) {
				this.lease.set(askedAt, wanted);
				schedule();
			}
			return true;
		});
	}

	/**
	 * Wait for an answer only for as long as leaves time to ask again: a claim is shorter
	 * than the store's own time-out.
	 */
	private CompletionStage<Boolean> soon(CompletionStage<Boolean> answer) {
		CompletableFuture<Boolean> bounded = new CompletableFuture<>();
		Future<?> end = this.parts.timer()
			.schedule(() -> bounded.completeExceptionally(
					new LockStoreException(this.tenure.request().target().name(), "no answer yet", null, true, true)),
					this.lease.remaining().dividedBy(3));
		answer.whenComplete((ours, failure) -> {
			end.cancel(false);
			if (failure != null) {
				bounded.completeExceptionally(failure);
			}
			else {
				bounded.complete(ours);
			}
		});
		return bounded;
	}

	private void wokenUp() {
		this.tenure.hold().noticeEndOfLease();
		if (this.lease.isOver()) {
			return;
		}
		synchronized (this) {
			boolean due = isWanted() && !this.renewing && this.parts.timer().nanoTime() - this.lease.renewAt() >= 0;
			this.renewing |= due;
			schedule();
			if (!due || this.stopped) {
				return;
			}
		}
		change(this::wantedLease).whenComplete((ours, failure) -> renewed(this.tenure.hold(), ours, failure));
	}

	private synchronized boolean isGoingOn() {
		return !this.stopped;
	}

	private void requireGoingOn() {
		if (!isGoingOn()) {
			throw new IllegalStateException("Lock '%s' was released".formatted(this.tenure.request().target()));
		}
	}

	/**
	 * Return whether the lease goes on by itself: for who wants that, and for who was
	 * given only a claim so far.
	 */
	private boolean isWanted() {
		return this.tenure.hold().settings().autoRenew() || this.lease.isClaim();
	}

	/**
	 * Return the lease to renew with: never shorten what the holder has extended by hand.
	 */
	private Duration wantedLease() {
		Hold hold = this.tenure.hold();
		Duration own = hold.settings().lease().required();
		// Who does not renew was promised the lease from the beginning of his hold.
		Duration wanted = hold.settings().autoRenew() ? own : own.minus(hold.held());
		Duration rest = this.lease.rest();
		return (rest.compareTo(wanted) > 0) ? rest : wanted;
	}

	private void renewed(Hold hold, @Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			this.lease.retryRenewal(hold.settings().lease().required());
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
			LockStoreException reason = Failures.ofStore(hold.target(), failure);
			logger.warn("Lock '%s' could not be renewed, %s of its lease are left: %s".formatted(hold.target(),
					Durations.describe(this.lease.remaining()), reason.getMessage()));
			this.parts.listener().renewalFailed(hold.handle(), reason);
		}
		else if (Boolean.TRUE.equals(ours)) {
			logger
				.debug("Lock '%s' renewed for %s".formatted(hold.target(), Durations.describe(this.lease.remaining())));
			this.parts.listener().renewed(hold.handle());
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
