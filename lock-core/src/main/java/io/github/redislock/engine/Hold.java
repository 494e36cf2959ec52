package io.github.redislock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.CallersLock;
import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockMode;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.internal.support.OwnerTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A caller's hold of a lock, which lasts until it is released or lost.
 * <p>
 * No renewal is sent after a release, and a lost hold stays lost, whatever the store
 * replies later. Without a minimum hold time, a release waits only briefly for a pending
 * renewal, because a renewal that arrives after the release has no effect. Thread-safe;
 * listeners receive this object.
 */
final class Hold implements HeldLock {

	private static final Log logger = LogFactory.getLog(Hold.class);

	/**
	 * An automatic renewal is not sent if the maximum hold time would let it extend the
	 * lease by less than this.
	 */
	private static final Duration SHORTEST_GAIN = Duration.ofMillis(10);

	private final Tenure tenure;

	private final WatchedTimer timer;

	private final AcquireSettings settings;

	private final long fencingToken;

	private final HandOverKind from;

	private final long begunAt;

	private final HoldMonitor monitor;

	private final LockListener listener;

	private final Executor callbacks;

	/**
	 * This field and those below are guarded by this object's monitor, which is never
	 * held while calling other code.
	 */
	private List<Entry> entries = List.of();

	private boolean released;

	private @Nullable Loss loss;

	/** Whether the loss still has to be reported to the log and the listeners. */
	private boolean lossUnreported;

	private List<LossAction> lossActions = List.of();

	private @Nullable CompletableFuture<ReleaseOutcome> ended;

	private boolean over;

	private @Nullable Runnable overAction;

	/**
	 * Create a hold that begins now and has no entry yet.
	 * @param callbacks runs the callbacks of users
	 */
	Hold(Tenure tenure, WatchedTimer timer, AcquireSettings settings, long fencingToken, HandOverKind from,
			HoldMonitor monitor, LockListener listener, Executor callbacks) {
		this.tenure = tenure;
		this.timer = timer;
		this.settings = settings;
		this.fencingToken = fencingToken;
		this.from = from;
		this.begunAt = timer.nanoTime();
		this.monitor = monitor;
		this.listener = listener;
		this.callbacks = callbacks;
	}

	@Override
	public String name() {
		return target().name();
	}

	@Override
	public LockTarget target() {
		return this.tenure.request().target();
	}

	/**
	 * Return whether this hold includes a lock, perhaps as one of several. An exclusive
	 * hold also includes the lock for reading and its permits. A permit includes a permit
	 * out of any other number. It also includes the lock for reading, because it excludes
	 * writers.
	 */
	boolean covers(LockTarget other) {
		LockTarget own = target();
		if (!own.isShared()) {
			return own.names().containsAll(other.names());
		}
		return own.equals(other)
				|| (other.isShared() && own.mode() != LockMode.READ && own.names().equals(other.names()));
	}

	@Override
	public String owner() {
		return this.tenure.request().owner();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	AcquireSettings settings() {
		return this.settings;
	}

	/**
	 * Return how the caller got the lock.
	 */
	HandOverKind from() {
		return this.from;
	}

	HoldMonitor monitor() {
		return this.monitor;
	}

	/**
	 * Return the listener of this hold.
	 */
	LockListener listener() {
		return this.listener;
	}

	/**
	 * Return how this hold ended. The future completes when the release has been
	 * confirmed or has failed.
	 */
	synchronized CompletableFuture<ReleaseOutcome> ended() {
		CompletableFuture<ReleaseOutcome> present = this.ended;
		if (present == null) {
			present = new CompletableFuture<>();
			this.ended = present;
		}
		return present;
	}

	/**
	 * Begin to renew the lock and to watch its lease.
	 * @param whenOver runs after the release or the loss, whichever comes first
	 */
	void watch(Runnable whenOver) {
		this.tenure.watch();
		synchronized (this) {
			if (!this.over) {
				this.overAction = whenOver;
				return;
			}
		}
		whenOver.run();
	}

	@Override
	public synchronized boolean isHeld() {
		return isOpen() && lease().isSure();
	}

	/**
	 * Return whether the hold has not ended. Unlike {@link #isHeld()}, this is also true
	 * while only the store knows whether the lock is still ours.
	 */
	private boolean isKept() {
		return isOpen() && !lease().isOver();
	}

	@Override
	public synchronized Duration remaining() {
		return isOpen() ? lease().remaining() : Duration.ZERO;
	}

	boolean isEndless() {
		return lease().isEndless();
	}

	/**
	 * Return the time since the hold began.
	 */
	Duration held() {
		return Duration.ofNanos(this.timer.nanoTime() - this.begunAt);
	}

	/**
	 * Return in how many nanoseconds this hold is to be reported as suspiciously long, or
	 * {@link LeaseDeadline#NEVER}.
	 */
	long reportIn(long now) {
		Duration after = this.monitor.reportAfter();
		return (after != null) ? this.begunAt + Durations.nanos(after) - now : LeaseDeadline.NEVER;
	}

	/**
	 * Check whether any caller can still release the lock, and report a long hold.
	 */
	void oversee() {
		boolean forgotten;
		synchronized (this) {
			if (!isOpen()) {
				return;
			}
			forgotten = !this.entries.isEmpty() && this.entries.stream().allMatch((entry) -> entry.refersTo(null));
		}
		this.monitor.check(forgotten, target(), isEndless() ? null : remaining());
		this.monitor.reportIfDue(target(), held());
	}

	/**
	 * Return whether the lease will be renewed automatically.
	 */
	boolean goesOn() {
		return this.settings.autoRenew() && this.monitor.neglect() == null && !isExhausted();
	}

	/**
	 * Return the lease to request with a renewal.
	 */
	Duration wantedLease() {
		// Without automatic renewal, the lease counts from the beginning of the hold.
		return this.settings.autoRenew() ? leaseAnew() : this.settings.lease().required().minus(held());
	}

	/**
	 * Return the length of a lease that begins now, limited by the maximum hold time.
	 */
	Duration leaseAnew() {
		Duration own = this.settings.lease().required();
		Duration maxHold = this.settings.maxHold();
		Duration left = (maxHold != null) ? maxHold.minus(held()) : own;
		return Durations.min(left, own);
	}

	/**
	 * Add an entry for a new handle of the caller.
	 */
	synchronized Entry enter(CallersLock handle) {
		Entry entry = new Entry(handle);
		this.entries = this.entries.isEmpty() ? List.of(entry)
				: Stream.concat(this.entries.stream(), Stream.of(entry)).toList();
		return entry;
	}

	/**
	 * Re-enter this hold.
	 * @param asked the requested lock, exclusive or shared
	 * @param handles creates the caller's handle, which calls {@link #enter(CallersLock)}
	 * @return {@code null} if the hold does not include the lock, has ended, or may not
	 * be re-entered
	 */
	synchronized <H> @Nullable H enterAgain(LockTarget asked, Function<Hold, H> handles) {
		boolean open = covers(asked) && isKept() && !this.entries.isEmpty() && this.monitor.mayBeEnteredAgain();
		return open ? handles.apply(this) : null;
	}

	/**
	 * End an entry; the last one releases the lock. A repeated call returns the same
	 * future.
	 */
	CompletableFuture<ReleaseOutcome> release(Entry entry) {
		CompletableFuture<ReleaseOutcome> exit;
		boolean last;
		synchronized (this) {
			CompletableFuture<ReleaseOutcome> earlier = entry.exit;
			if (earlier != null) {
				return earlier;
			}
			this.entries = without(this.entries, entry);
			last = this.entries.isEmpty();
			boolean kept = isKept();
			exit = (last || this.released) ? ended()
					: CompletableFuture.completedFuture(kept ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD);
			entry.exit = exit;
			if (!last && kept) {
				this.lossActions = this.lossActions.stream().filter((action) -> !entry.equals(action.entry())).toList();
			}
		}
		if (last) {
			release();
		}
		else {
			// Notice a loss that came before the end of this entry, even if the timer is
			// late.
			noticeEndOfLease();
		}
		return exit;
	}

	private static List<Entry> without(List<Entry> entries, Entry entry) {
		boolean last = entries.size() == 1 && entries.get(0).equals(entry);
		return last ? List.of() : entries.stream().filter((other) -> !other.equals(entry)).toList();
	}

	/**
	 * Release the lock, even if entries are left.
	 */
	CompletableFuture<ReleaseOutcome> release() {
		noticeEndOfLease();
		boolean lost;
		synchronized (this) {
			if (this.released) {
				return ended();
			}
			this.released = true;
			this.lossActions = List.of();
			lost = this.loss != null;
		}
		if (lost) {
			this.tenure.releaseUnheld();
			end(ReleaseOutcome.NOT_HELD);
		}
		else {
			this.tenure.owner().release(this.tenure);
		}
		return ended();
	}

	/**
	 * Release the lock at shutdown. For work that still runs under it, the lock is lost.
	 */
	CompletableFuture<ReleaseOutcome> releaseAtShutdown() {
		loseWhileHeld(Loss.shutDown(this.timer.nanoTime()));
		return release();
	}

	/**
	 * Start the lease again, with the given length.
	 */
	CompletionStage<Void> renew(Duration lease) {
		LeaseLength.of(lease);
		requireRenewable();
		return changeLease(() -> lease);
	}

	/**
	 * Start the lease again, with the length that it had when the lock was acquired.
	 */
	CompletionStage<Void> renew() {
		requireRenewable();
		return changeLease(this.settings.lease()::required);
	}

	/**
	 * Add time to the rest of the lease.
	 */
	CompletionStage<Void> extend(Duration additional) {
		Durations.requireAtLeast("additional time", additional, Duration.ofMillis(1));
		LeaseLength.requireNotTooLong(additional);
		requireRenewable();
		LeaseLength.requireNotTooLong(restOfLease().plus(additional));
		// The request contains the whole lease, so the time is added only once even if
		// the request is delivered twice.
		return changeLease(() -> restOfLease().plus(additional));
	}

	/**
	 * Let others share the lock for reading. If it is already shared, only its lease is
	 * renewed.
	 */
	CompletionStage<Void> downgrade() {
		requireRenewable();
		LockTarget own = target();
		if (own.isSeveral() || own.mode() == LockMode.PERMIT) {
			throw new IllegalStateException(
					"Lock '%s' is not a single lock held for writing, so it cannot be downgraded to reading"
						.formatted(own));
		}
		requireEnteredOnce();
		return this.tenure.downgrade(this).thenAccept(this::requireOurs);
	}

	/**
	 * Change to a shared lock, unless the lock is re-entered.
	 * @throws LockLostException if the lock was lost
	 * @throws IllegalStateException if it was released or is re-entered
	 */
	void share(Runnable change) {
		requireRenewable();
		synchronized (this) {
			requireEnteredOnce();
			if (isOpen()) {
				change.run();
				return;
			}
		}
		// The lock was released or lost in the meantime. Throw the matching exception.
		requireRenewable();
	}

	private synchronized void requireEnteredOnce() {
		if (this.entries.size() > 1) {
			throw new IllegalStateException(
					"Lock '%s' was entered %d times: the outer entry relies on an exclusive lock".formatted(target(),
							this.entries.size()));
		}
	}

	/**
	 * Check with the store whether the lock is ours.
	 */
	CompletionStage<Boolean> verify() {
		noticeEndOfLease();
		synchronized (this) {
			if (!isKept()) {
				return CompletableFuture.completedFuture(false);
			}
		}
		if (!lease().isSure()) {
			Renewal renewal = this.tenure.renewal();
			return renewal.change(renewal::wantedLease).thenApply((ours) -> ours && isHeld());
		}
		LockTarget asked = target();
		long askedAt = this.timer.nanoTime();
		return this.tenure.isOwner().thenCompose((ours) -> {
			if (!ours && !asked.equals(target())) {
				// The request was for the exclusive lock, which was downgraded in the
				// meantime.
				return verify();
			}
			if (ours) {
				lease().confirm(askedAt);
			}
			else {
				this.tenure.loseToOther();
			}
			return CompletableFuture.completedFuture(ours && isHeld());
		});
	}

	/**
	 * Call a user's action if the lock is lost while it is held.
	 */
	@Override
	public void onLost(Runnable action) {
		whenLost(null, () -> call(action));
	}

	/**
	 * Run an action if the lock is lost before an entry ends, on the thread that notices
	 * the loss.
	 * @param entry the entry, or {@code null} for the whole hold
	 * @param action must not block or fail
	 */
	void whenLost(@Nullable Entry entry, Runnable action) {
		noticeEndOfLease();
		synchronized (this) {
			if (this.loss == null) {
				this.lossActions = Stream.concat(this.lossActions.stream(), Stream.of(new LossAction(entry, action)))
					.toList();
				return;
			}
		}
		action.run();
	}

	/**
	 * Return the exception that reports the loss to the holder.
	 */
	LockLostException lossAsException() {
		noticeEndOfLease();
		Loss loss;
		synchronized (this) {
			loss = (this.loss != null) ? this.loss : endOfLease();
		}
		Duration unprotected = Duration.ofNanos(Math.max(this.timer.nanoTime() - loss.safeUntil(), 0));
		return new LockLostException(target(), unprotected, loss.reason());
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
		throw lossAsException();
	}

	/**
	 * Mark the lock as lost if its lease is over.
	 */
	void noticeEndOfLease() {
		tellEndOfLease();
		reportLoss();
	}

	/**
	 * Notify the holder if the lease is over. {@link #reportLoss()} has to be called
	 * afterwards.
	 */
	void tellEndOfLease() {
		if (lease().isOver()) {
			tellLoss(endOfLease());
		}
	}

	/**
	 * Mark the lock as lost because the store says that it is not ours.
	 */
	void loseToOther() {
		loseWhileHeld(takenAway());
	}

	/**
	 * Check with the store whether the lock is still ours after a forced release.
	 */
	void suspectForce() {
		this.tenure.suspectForce();
	}

	/**
	 * Return why the store did not confirm the last renewal, or {@code null} if there is
	 * no such failure.
	 */
	@Nullable String trouble() {
		return this.tenure.renewal().trouble();
	}

	/**
	 * Return what this process knows about the hold, for operators.
	 * @param waiting how many callers of this process wait for the lock
	 */
	LocalLocks.Held describe(int waiting) {
		int inside;
		synchronized (this) {
			inside = this.entries.size();
		}
		return new LocalLocks.Held(target(), OwnerTokens.shortened(owner()), this.fencingToken, held(), remaining(),
				inside, waiting, !isEndless() && goesOn(), trouble(), this.monitor.threadName(),
				this.monitor.takenAt());
	}

	private Loss takenAway() {
		long confirmedAt = lease().confirmedAt();
		Instant toldOfForceAt = this.tenure.toldOfForceAt();
		return (toldOfForceAt != null) ? Loss.byForce(toldOfForceAt, confirmedAt) : Loss.takenAway(confirmedAt);
	}

	/**
	 * Return the rest of the lease. If the store has only granted a claim so far, return
	 * the rest of the requested lease.
	 */
	private Duration restOfLease() {
		Duration rest = lease().rest();
		Duration own = lease().isClaim() ? this.settings.lease().required().minus(held()) : Duration.ZERO;
		return Durations.max(own, rest);
	}

	private CompletionStage<Void> changeLease(Supplier<Duration> wanted) {
		return this.tenure.renewal().change(this::requireRenewable, wanted).thenAccept(this::requireOurs);
	}

	private void requireOurs(boolean ours) {
		if (!ours || !isHeld()) {
			throw lossAsException();
		}
	}

	private LeaseDeadline lease() {
		return this.tenure.lease();
	}

	private boolean isOpen() {
		return !this.released && this.loss == null;
	}

	/**
	 * Return whether the lease already lasts until the maximum hold time.
	 */
	private boolean isExhausted() {
		Duration maxHold = this.settings.maxHold();
		return maxHold != null && maxHold.minus(held()).minus(lease().rest()).compareTo(SHORTEST_GAIN) < 0;
	}

	private Loss endOfLease() {
		String neglect = this.monitor.neglect();
		long validUntil = lease().validUntil();
		if (neglect != null) {
			return Loss.notRenewed(neglect, validUntil);
		}
		Duration maxHold = this.settings.maxHold();
		return (this.settings.autoRenew() && maxHold != null && isExhausted())
				? Loss.notRenewed("it may be held for at most " + Durations.describe(maxHold), validUntil)
				: Loss.leaseOver(validUntil);
	}

	private void loseWhileHeld(Loss loss) {
		tellLoss(loss);
		reportLoss();
	}

	/**
	 * Mark the lock as lost and run the actions for the loss, unless it was already
	 * released or lost.
	 */
	private void tellLoss(Loss loss) {
		List<LossAction> actions;
		synchronized (this) {
			if (!isOpen()) {
				return;
			}
			this.loss = loss;
			this.lossUnreported = true;
			actions = this.lossActions;
			this.lossActions = List.of();
		}
		this.tenure.lost();
		over();
		actions.forEach((action) -> action.action().run());
	}

	/**
	 * Report a loss once to the log and to listeners, after the holder was notified.
	 */
	void reportLoss() {
		synchronized (this) {
			if (!this.lossUnreported) {
				return;
			}
			this.lossUnreported = false;
		}
		LockLostException lost = lossAsException();
		logger.warn("%s (fencing token %d)".formatted(lost.getMessage(), this.fencingToken));
		this.listener.lost(this, lost);
	}

	/**
	 * Mark the lock as lost at its release. Actions for the loss do not run, because the
	 * work has ended.
	 */
	private void loseAtRelease() {
		synchronized (this) {
			if (this.loss != null) {
				return;
			}
			this.loss = takenAway();
			this.lossUnreported = true;
		}
		reportLoss();
	}

	/**
	 * Run a user's callback on a separate thread.
	 */
	void call(Runnable action) {
		this.callbacks.execute(() -> {
			try {
				action.run();
			}
			catch (Throwable ex) {
				logger.error("An action on the loss of lock '%s' failed".formatted(target()), ex);
			}
		});
	}

	/**
	 * Record that the lock was passed on to this process's next caller.
	 */
	void passedOn() {
		end(ReleaseOutcome.RELEASED);
	}

	/**
	 * Handle the store's reply to the release, or its failure.
	 */
	void settleRelease(@Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("Release of lock '%s' was not confirmed, retrying in the background: %s".formatted(target(),
					Futures.unwrap(failure).getMessage()));
			end(ReleaseOutcome.UNKNOWN);
			return;
		}
		if (Boolean.TRUE.equals(ours)) {
			end(ReleaseOutcome.RELEASED);
			return;
		}
		if (lease().isOver()) {
			// The release was sent in time, but the lock may have expired before the
			// store processed it.
			end(ReleaseOutcome.UNKNOWN);
			return;
		}
		loseAtRelease();
		end(ReleaseOutcome.NOT_HELD);
	}

	private void end(ReleaseOutcome outcome) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' released after %s (%s), fencing token %d".formatted(target(),
					Durations.describe(held()), outcome, this.fencingToken));
		}
		this.listener.released(this, outcome, held());
		over();
		ended().complete(outcome);
	}

	private void over() {
		Runnable action;
		synchronized (this) {
			this.over = true;
			action = this.overAction;
			this.overAction = null;
		}
		if (action != null) {
			action.run();
		}
	}

	/**
	 * Return a hash code that is reproducible, unlike the identity hash code.
	 */
	@Override
	public int hashCode() {
		return Long.hashCode(this.begunAt);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public String toString() {
		return "LockHandle[name=%s, fencingToken=%d, held=%s]".formatted(name(), fencingToken(), isHeld());
	}

	/**
	 * A loss action of one entry, or of the whole hold.
	 */
	private record LossAction(@Nullable Entry entry, Runnable action) {
	}

	/**
	 * One entry into a hold, which ends once. It is a weak reference to the caller's
	 * handle.
	 */
	static final class Entry extends WeakReference<CallersLock> {

		/** Written once, under the hold's monitor. */
		private volatile @Nullable CompletableFuture<ReleaseOutcome> exit;

		private Entry(CallersLock handle) {
			super(handle);
		}

		/**
		 * Return whether this entry has ended.
		 */
		boolean hasLeft() {
			return this.exit != null;
		}

	}

}
