package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.CallersLock;
import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockMode;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A caller's hold of a lock, which lasts until it is released or lost.
 * <p>
 * A lost hold stays lost, whatever the store replies later. Thread-safe; listeners
 * receive this object.
 */
final class Hold implements HeldLock {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final Tenure tenure;

	private final HeldLease lease;

	private final long fencingToken;

	private final HandOverKind from;

	private final HoldMonitor monitor;

	private final LockListener listener;

	private final Executor callbacks;

	/** Completes when the release is settled. Created when needed. */
	private @GuardedBy("this") @Nullable CompletableFuture<ReleaseOutcome> outcome;

	/** What to do when the hold is over. */
	private @GuardedBy("this") @Nullable Runnable whenOver;

	/** Whether the hold was lost, or its release is settled. */
	private @GuardedBy("this") boolean over;

	/** Created when needed, to keep a hold small that is not lost. */
	private @GuardedBy("this") @Nullable LossReport loss;

	private @GuardedBy("this") List<HoldEntry> entries = List.of();

	private @GuardedBy("this") State state = State.HELD;

	/**
	 * Create a hold that begins now and has no entry yet.
	 * @param callbacks runs users' callbacks
	 */
	Hold(Tenure tenure, WatchedTimer timer, AcquireSettings settings, long fencingToken, HandOverKind from,
			HoldMonitor monitor, LockListener listener, Executor callbacks) {
		this.tenure = tenure;
		this.lease = new HeldLease(this, timer, settings);
		this.fencingToken = fencingToken;
		this.from = from;
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
	 * Return whether this hold includes all locks of a target. An exclusive hold also
	 * includes the lock for reading and its permits. A permit also includes permits of
	 * the same lock, whatever their number, and the lock for reading, because a permit
	 * excludes writers.
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

	Tenure tenure() {
		return this.tenure;
	}

	HeldLease lease() {
		return this.lease;
	}

	synchronized LossReport loss() {
		LossReport present = this.loss;
		if (present == null) {
			present = new LossReport(this, this.listener, this.callbacks, this.lease::now, this.lease::end);
			this.loss = present;
		}
		return present;
	}

	/**
	 * Report a loss that was noticed, if any, to the log and to listeners.
	 */
	void publishLoss() {
		LossReport present;
		synchronized (this) {
			present = this.loss;
		}
		if (present != null) {
			present.publish();
		}
	}

	HandOverKind from() {
		return this.from;
	}

	HoldMonitor monitor() {
		return this.monitor;
	}

	LockListener listener() {
		return this.listener;
	}

	/**
	 * Return the outcome of the release, which is known once the release is settled.
	 */
	synchronized CompletableFuture<ReleaseOutcome> outcome() {
		CompletableFuture<ReleaseOutcome> present = this.outcome;
		if (present == null) {
			present = new CompletableFuture<>();
			this.outcome = present;
		}
		return present;
	}

	/**
	 * Begin to watch the lease.
	 * @param whenOver runs after the release or the loss, whichever comes first
	 */
	void watch(Runnable whenOver) {
		this.tenure.watch();
		synchronized (this) {
			if (!this.over) {
				this.whenOver = whenOver;
				return;
			}
		}
		whenOver.run();
	}

	/**
	 * Record that the hold is over. A repeated call has no effect.
	 */
	private void over() {
		Runnable action;
		synchronized (this) {
			this.over = true;
			action = this.whenOver;
			this.whenOver = null;
		}
		if (action != null) {
			action.run();
		}
	}

	@Override
	public synchronized boolean isHeld() {
		return isOpen() && this.tenure.lease().isSure();
	}

	/**
	 * Return whether the hold has not ended. Unlike {@link #isHeld()}, this is also true
	 * while only the store knows whether the lock is still ours.
	 */
	synchronized boolean isKept() {
		return isOpen() && !this.tenure.lease().isOver();
	}

	@Override
	public synchronized Duration remaining() {
		return isOpen() ? this.tenure.lease().remaining() : Duration.ZERO;
	}

	/**
	 * Check whether the lock has leaked, and report a long hold.
	 */
	void oversee() {
		boolean forgotten;
		synchronized (this) {
			if (!isOpen()) {
				return;
			}
			forgotten = !this.entries.isEmpty() && this.entries.stream().allMatch((entry) -> entry.refersTo(null));
		}
		this.monitor.check(forgotten, target(), this.tenure.lease().isEndless() ? null : remaining());
		this.monitor.reportIfDue(target(), this.lease.held());
	}

	synchronized int entries() {
		return this.entries.size();
	}

	synchronized HoldEntry enter(CallersLock handle) {
		HoldEntry entry = new HoldEntry(handle);
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
	CompletableFuture<ReleaseOutcome> release(HoldEntry entry) {
		CompletableFuture<ReleaseOutcome> exit;
		boolean last;
		synchronized (this) {
			CompletableFuture<ReleaseOutcome> earlier = entry.exit();
			if (earlier != null) {
				return earlier;
			}
			boolean only = this.entries.size() == 1 && this.entries.get(0).equals(entry);
			this.entries = only ? List.of() : this.entries.stream().filter((other) -> !other.equals(entry)).toList();
			last = this.entries.isEmpty();
			boolean kept = isKept();
			exit = (last || this.state == State.RELEASED) ? outcome()
					: CompletableFuture.completedFuture(kept ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD);
			entry.end(exit);
			if (!last && kept) {
				loss().forget(entry);
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

	/**
	 * Release the lock, even if entries are left.
	 */
	CompletableFuture<ReleaseOutcome> release() {
		noticeEndOfLease();
		boolean lost;
		synchronized (this) {
			if (this.state == State.RELEASED) {
				return outcome();
			}
			lost = this.state == State.LOST;
			this.state = State.RELEASED;
			if (this.loss != null) {
				this.loss.forgetAll();
			}
		}
		if (lost) {
			this.tenure.end().releaseUnheld();
			released(ReleaseOutcome.NOT_HELD);
		}
		else {
			this.tenure.listener().release(this.tenure);
		}
		return outcome();
	}

	/**
	 * Release the lock at shutdown. For work that still runs under it, the lock is lost.
	 */
	CompletableFuture<ReleaseOutcome> releaseAtShutdown() {
		lose(Loss.shutDown(this.lease.now()));
		publishLoss();
		return release();
	}

	@Override
	public void onLost(Runnable action) {
		whenLost(null, () -> loss().call(action));
	}

	/**
	 * Run an action if the lock is lost before an entry ends, on the thread that notices
	 * the loss.
	 * @param entry the entry, or {@code null} for the whole hold
	 * @param action must not block or fail
	 */
	void whenLost(@Nullable HoldEntry entry, Runnable action) {
		noticeEndOfLease();
		if (!loss().addAction(entry, action)) {
			action.run();
		}
	}

	LockLostException lossAsException() {
		noticeEndOfLease();
		return loss().asException();
	}

	synchronized boolean isReleased() {
		return this.state == State.RELEASED;
	}

	/**
	 * Mark the lock as lost if its lease is over, and report the loss.
	 */
	void noticeEndOfLease() {
		loseIfOver();
		publishLoss();
	}

	/**
	 * Notify the holder if the lease is over. {@link #publishLoss()} has to be called
	 * afterwards.
	 */
	void loseIfOver() {
		if (this.tenure.lease().isOver()) {
			lose(this.lease.end());
		}
	}

	void loseToOther() {
		lose(this.tenure.takenAway());
		publishLoss();
	}

	private synchronized boolean isOpen() {
		return this.state == State.HELD;
	}

	/**
	 * Mark the lock as lost and run the actions for the loss, unless it was already
	 * released or lost.
	 */
	private void lose(Loss loss) {
		List<Runnable> actions;
		synchronized (this) {
			if (!isOpen()) {
				return;
			}
			this.state = State.LOST;
			actions = loss().record(loss);
		}
		this.tenure.lost();
		over();
		actions.forEach(Runnable::run);
	}

	void passedOn() {
		released(ReleaseOutcome.RELEASED);
	}

	void settleRelease(@Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			logger.warn("Release of lock '%s' was not confirmed, retrying in the background: %s".formatted(target(),
					Failures.of(target(), failure).getMessage()));
			released(ReleaseOutcome.UNKNOWN);
			return;
		}
		if (Boolean.TRUE.equals(ours)) {
			released(ReleaseOutcome.RELEASED);
			return;
		}
		if (this.tenure.lease().isOver()) {
			// The release was requested in time, but the lock may have expired before the
			// store processed it.
			released(ReleaseOutcome.UNKNOWN);
			return;
		}
		// The work has ended, so no action for the loss runs.
		loss().record(this.tenure.takenAway());
		publishLoss();
		released(ReleaseOutcome.NOT_HELD);
	}

	private void released(ReleaseOutcome outcome) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' released after %s (%s), fencing token %s".formatted(target(),
					Durations.describe(this.lease.held()), outcome, this.fencingToken));
		}
		this.listener.released(this, outcome, this.lease.held());
		over();
		outcome().complete(outcome);
	}

	/**
	 * Return a hash code that is reproducible, unlike the identity hash code.
	 */
	@Override
	public int hashCode() {
		return Long.hashCode(this.fencingToken);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public String toString() {
		return "LockHandle[name=%s, fencingToken=%s, held=%s]".formatted(name(), fencingToken(), isHeld());
	}

	/**
	 * Whether the caller still has the lock. A lost hold may be released, too.
	 */
	private enum State {

		HELD, LOST, RELEASED

	}

}
