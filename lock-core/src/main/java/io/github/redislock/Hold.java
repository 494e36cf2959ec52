package io.github.redislock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is a caller's, until it is released or lost, whichever comes first.
 * <p>
 * Renewal ends before a release is sent, and a hold that was lost stays lost, whatever
 * the store says later. Thread-safe.
 */
final class Hold {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final EngineParts parts;

	private final Tenure tenure;

	private final AcquireSettings settings;

	private final long fencingToken;

	private final long begunAt;

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
	 * Create a hold that begins now.
	 */
	Hold(EngineParts parts, Tenure tenure, AcquireSettings settings, long fencingToken) {
		this.parts = parts;
		this.tenure = tenure;
		this.settings = settings;
		this.fencingToken = fencingToken;
		this.begunAt = parts.timer().nanoTime();
	}

	LockTarget target() {
		return this.tenure.request().target();
	}

	String owner() {
		return this.tenure.request().owner();
	}

	long fencingToken() {
		return this.fencingToken;
	}

	AcquireSettings settings() {
		return this.settings;
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
		this.tenure.watch();
	}

	synchronized boolean isHeld() {
		return isOpen() && !lease().isOver();
	}

	synchronized Duration remaining() {
		return isOpen() ? lease().remaining() : Duration.ZERO;
	}

	/**
	 * Return the time since the hold began.
	 */
	Duration held() {
		return Duration.ofNanos(this.parts.timer().nanoTime() - this.begunAt);
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
		if (lost) {
			this.tenure.free();
			end(ReleaseOutcome.NOT_HELD);
		}
		else {
			this.tenure.letGo();
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
		return changeLease(this.settings.lease()::required);
	}

	/**
	 * Add to what remains of the lease.
	 */
	CompletionStage<Void> extend(Duration additional) {
		Durations.requireAtLeast("additional time", additional, Duration.ofMillis(1));
		Lease.requireNotTooLong(additional);
		requireRenewable();
		Lease.requireNotTooLong(restOfLease().plus(additional));
		// An absolute end instead of "so much more": delivered twice, it adds only once.
		return changeLease(() -> restOfLease().plus(additional));
	}

	/**
	 * Return what remains of the lease, also where the store has given only a claim to it
	 * so far.
	 */
	private Duration restOfLease() {
		Duration rest = lease().rest();
		Duration own = lease().isClaim() ? this.settings.lease().required().minus(held()) : Duration.ZERO;
		return (own.compareTo(rest) > 0) ? own : rest;
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
				lease().confirm(askedAt);
			}
			else {
				this.tenure.loseToOther();
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
			loss = (this.loss != null) ? this.loss : Loss.leaseOver(lease().validUntil());
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
				if (lease().isEndless()) {
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
		if (lease().isOver()) {
			loseWhileHeld(Loss.leaseOver(lease().validUntil()));
		}
	}

	/**
	 * Lose the lock, since the store does not know it as ours.
	 */
	void loseToOther() {
		loseWhileHeld(Loss.takenAway(lease().confirmedAt()));
	}

	private CompletionStage<Void> changeLease(Supplier<Duration> wanted) {
		return this.tenure.renewal().change(this::requireRenewable, wanted).thenAccept((ours) -> {
			if (!ours || !isHeld()) {
				throw lost();
			}
		});
	}

	private HeldLease lease() {
		return this.tenure.lease();
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
		this.tenure.lost();
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
			this.loss = Loss.takenAway(lease().confirmedAt());
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

	/**
	 * End before anybody has entered.
	 */
	synchronized void close() {
		this.released = true;
	}

	/**
	 * The lock went on to this process's next caller.
	 */
	void passedOn() {
		end(ReleaseOutcome.RELEASED);
	}

	/**
	 * The store has answered the release.
	 */
	void settleRelease(@Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("Release of lock '%s' was not confirmed, trying again in the background: %s".formatted(target(),
					Failures.unwrap(failure).getMessage()));
			this.tenure.lettingGo().sendInBackground(lease().rest());
			end(ReleaseOutcome.UNKNOWN);
			return;
		}
		this.tenure.lettingGo().withdrawLateRequest();
		if (Boolean.TRUE.equals(ours)) {
			end(ReleaseOutcome.RELEASED);
			return;
		}
		loseAtRelease();
		end(ReleaseOutcome.NOT_HELD);
	}

	private void end(ReleaseOutcome outcome) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' let go after %s: %s".formatted(target(), Durations.describe(held()), outcome));
		}
		this.parts.listener().released(this.handle, outcome, held());
		this.over.complete(null);
		this.ended.complete(outcome);
	}

}
