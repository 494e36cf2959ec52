package io.github.redislock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.redislock.LockStore.AcquireRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is ours, until it is released or lost, whichever comes first.
 * <p>
 * Renewal ends before a release is sent, and a hold that was lost stays lost, whatever
 * the store says later. Thread-safe.
 */
final class Hold {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final EngineParts parts;

	private final AcquireRequest request;

	private final long fencingToken;

	private final HeldLease lease;

	private final Renewal renewal;

	private final LettingGo lettingGo;

	private final HoldHandle handle = new HoldHandle(this);

	private final CompletableFuture<ReleaseOutcome> ended = new CompletableFuture<>();

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	/**
	 * Everything below is guarded by this hold's monitor, never held while calling out.
	 */
	private int entries = 1;

	private boolean released;

	private @Nullable Loss loss;

	private final List<Runnable> lossActions = new ArrayList<>(0);

	/**
	 * Create a hold that was just granted.
	 * @param askedAt when the request that was granted was sent
	 * @param lateRequest whether an earlier question for it was not answered and may
	 * reach the store only later
	 */
	Hold(EngineParts parts, AcquireRequest request, AcquireSettings settings, long askedAt, long fencingToken,
			boolean lateRequest) {
		this.parts = parts;
		this.request = request;
		this.fencingToken = fencingToken;
		this.lease = new HeldLease(parts.timer(), settings.lease(), askedAt);
		this.renewal = new Renewal(parts, settings, this, this.lease);
		this.lettingGo = new LettingGo(parts, request, settings, lateRequest);
	}

	LockTarget target() {
		return this.request.target();
	}

	String owner() {
		return this.request.owner();
	}

	long fencingToken() {
		return this.fencingToken;
	}

	/**
	 * Return the handle of the first entry.
	 */
	LockHandle handle() {
		return this.handle;
	}

	/**
	 * Return how this hold ended. Completed when its release was answered.
	 */
	CompletableFuture<ReleaseOutcome> ended() {
		return this.ended;
	}

	/**
	 * Return when there is nothing left to renew, enter or release. Completed with the
	 * release, and earlier if the lock is lost.
	 */
	CompletableFuture<Void> over() {
		return this.over;
	}

	/**
	 * Begin to renew the lock and to watch over its lease.
	 */
	void watch() {
		this.renewal.schedule();
	}

	synchronized boolean isHeld() {
		return isOpen() && !this.lease.isOver();
	}

	synchronized Duration remaining() {
		return isOpen() ? this.lease.remaining() : Duration.ZERO;
	}

	/**
	 * Return the time since the grant.
	 */
	Duration held() {
		return this.lettingGo.held();
	}

	/**
	 * Count one more entry of the holding thread.
	 * @return {@code false} if the lock was let go or lost, so that it has to be acquired
	 * anew
	 */
	synchronized boolean enter() {
		if (!isHeld() || this.entries == 0) {
			return false;
		}
		this.entries++;
		return true;
	}

	/**
	 * Count one entry less; the last one lets the lock go.
	 */
	CompletableFuture<ReleaseOutcome> exit() {
		synchronized (this) {
			this.entries--;
			if (this.entries > 0) {
				return this.released ? this.ended : CompletableFuture
					.completedFuture(isHeld() ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD);
			}
		}
		return release();
	}

	/**
	 * Let the lock go, whoever is still inside.
	 */
	CompletableFuture<ReleaseOutcome> release() {
		noticeEndOfLease();
		boolean lost;
		synchronized (this) {
			if (this.released) {
				return this.ended;
			}
			this.released = true;
			lost = this.loss != null;
		}
		this.renewal.stop();
		if (lost) {
			this.lettingGo.freeInBackground(this.lease.rest());
			end(ReleaseOutcome.NOT_HELD);
		}
		else if (this.lettingGo.keepFor().isZero()) {
			this.lettingGo.send().whenComplete(this::settleRelease);
		}
		else {
			// A renewal that overtook this release would keep the lock closed for its
			// whole
			// lease; where the lock is freed, it would find nothing.
			this.renewal.lastChange()
				.whenComplete((answer, failed) -> this.lettingGo.send().whenComplete(this::settleRelease));
		}
		return this.ended;
	}

	/**
	 * Let the lock go at shut-down. Whoever still works under it has lost it.
	 */
	CompletableFuture<ReleaseOutcome> abandon() {
		loseWhileHeld(Loss.shutDown(this.parts.timer().nanoTime()));
		return release();
	}

	/**
	 * Set the lease anew, as the caller asked.
	 */
	CompletionStage<Void> renew(Duration lease) {
		Lease.of(lease);
		requireRenewable();
		return changeLease(() -> lease);
	}

	/**
	 * Set the lease anew, as long as it was when the lock was acquired.
	 */
	CompletionStage<Void> renew() {
		requireRenewable();
		return changeLease(this.renewal::ownLease);
	}

	/**
	 * Add to what remains of the lease.
	 */
	CompletionStage<Void> extend(Duration additional) {
		Durations.requireAtLeast("additional time", additional, Duration.ofMillis(1));
		Lease.requireNotTooLong(additional);
		requireRenewable();
		Lease.requireNotTooLong(this.lease.rest().plus(additional));
		// An absolute end instead of "so much more": delivered twice, it adds only once.
		return changeLease(() -> this.lease.rest().plus(additional));
	}

	/**
	 * Ask the store whether the lock is ours.
	 */
	CompletionStage<Boolean> verify() {
		noticeEndOfLease();
		if (!isHeld()) {
			return CompletableFuture.completedFuture(false);
		}
		long askedAt = this.parts.timer().nanoTime();
		return this.parts.store().inspect(target()).thenApply((holder) -> {
			boolean ours = holder.isPresent() && holder.get().owner().equals(owner());
			if (ours) {
				this.lease.confirm(askedAt);
			}
			else {
				loseToOther();
			}
			return ours && isHeld();
		});
	}

	void onLost(Runnable action) {
		noticeEndOfLease();
		synchronized (this) {
			if (this.loss == null) {
				this.lossActions.add(action);
				return;
			}
		}
		call(action);
	}

	/**
	 * Return what to tell the holder of a lock that was lost.
	 */
	LockLostException lost() {
		noticeEndOfLease();
		Loss loss;
		synchronized (this) {
			loss = (this.loss != null) ? this.loss : Loss.leaseOver(this.lease.validUntil());
		}
		Duration unprotected = Duration.ofNanos(Math.max(this.parts.timer().nanoTime() - loss.safeUntil(), 0));
		return new LockLostException(target().name(), unprotected, loss.reason());
	}

	/**
	 * Fail unless the lease may be changed.
	 */
	void requireRenewable() {
		noticeEndOfLease();
		synchronized (this) {
			if (this.loss == null) {
				if (this.released) {
					throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(target()));
				}
				if (this.lease.isEndless()) {
					throw new IllegalStateException("Lock '%s' never expires: it needs no renewal".formatted(target()));
				}
				return;
			}
		}
		throw lost();
	}

	/**
	 * Lose the lock if its lease is over.
	 */
	void noticeEndOfLease() {
		if (this.lease.isOver()) {
			loseWhileHeld(Loss.leaseOver(this.lease.validUntil()));
		}
	}

	/**
	 * Lose the lock, since the store does not know it as ours.
	 */
	void loseToOther() {
		loseWhileHeld(Loss.takenAway(this.lease.confirmedAt()));
	}

	private CompletionStage<Void> changeLease(Supplier<Duration> wanted) {
		return this.renewal.change(wanted).thenAccept((ours) -> {
			if (!ours || !isHeld()) {
				throw lost();
			}
		});
	}

	private boolean isOpen() {
		return !this.released && this.loss == null;
	}

	/**
	 * Lose the lock, unless the release has overtaken the answer that says so.
	 */
	private void loseWhileHeld(Loss loss) {
		List<Runnable> actions;
		synchronized (this) {
			if (!isOpen()) {
				return;
			}
			this.loss = loss;
			actions = List.copyOf(this.lossActions);
			this.lossActions.clear();
		}
		this.renewal.stop();
		this.over.complete(null);
		LockLostException lost = tellLoss();
		actions.forEach(this::call);
		this.parts.listener().lost(this.handle, lost);
	}

	/**
	 * Lose the lock at its release. Nobody is to be interrupted for that any more.
	 */
	private void loseAtRelease() {
		synchronized (this) {
			if (this.loss != null) {
				return;
			}
			this.loss = Loss.takenAway(this.lease.confirmedAt());
		}
		this.parts.listener().lost(this.handle, tellLoss());
	}

	private LockLostException tellLoss() {
		LockLostException lost = lost();
		logger.warn(lost.getMessage());
		return lost;
	}

	private void call(Runnable action) {
		this.parts.callbacks().execute(() -> {
			try {
				action.run();
			}
			catch (Throwable ex) {
				logger.error("An action on the loss of lock '%s' failed".formatted(target()), ex);
			}
		});
	}

	private void settleRelease(@Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("Release of lock '%s' was not confirmed, trying again in the background: %s".formatted(target(),
					Failures.unwrap(failure).getMessage()));
			this.lettingGo.sendInBackground(this.lease.rest());
			end(ReleaseOutcome.UNKNOWN);
			return;
		}
		this.lettingGo.withdrawLateRequest();
		if (Boolean.TRUE.equals(ours)) {
			end(ReleaseOutcome.RELEASED);
			return;
		}
		loseAtRelease();
		end(ReleaseOutcome.NOT_HELD);
	}

	private void end(ReleaseOutcome outcome) {
		logger.debug("Lock '%s' let go after %s: %s".formatted(target(), Durations.describe(held()), outcome));
		this.parts.listener().released(this.handle, outcome, held());
		this.over.complete(null);
		this.ended.complete(outcome);
	}

}
