package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.store.AcquireRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A caller's hold of a lock, which lasts until it is released or lost: see
 * {@link Standing}. Thread-safe; listeners receive this object.
 */
final class Hold implements HeldLock {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final Keeper keeper;

	private final AcquireRequest request;

	private final HoldTerms terms;

	private final long fencingToken;

	private final HandOverKind from;

	private final LockListener listener;

	private final Executor callbacks;

	/** How this hold has ended: LOST or RELEASED. Until then, its lease decides. */
	private @GuardedBy("this") @Nullable Standing end;

	/** Completes when the release is settled. Created when needed. */
	private @GuardedBy("this") @Nullable CompletableFuture<ReleaseOutcome> outcome;

	/** What to do when the hold is over. */
	private @GuardedBy("this") @Nullable Runnable whenOver;

	/** Whether the hold was lost, or its release is settled. */
	private @GuardedBy("this") boolean over;

	/** Created when needed, to keep a hold small that is not lost. */
	private @GuardedBy("this") @Nullable LossReport loss;

	private @GuardedBy("this") List<HoldEntry> entries = List.of();

	/**
	 * Create a hold that begins now and has no entry yet.
	 * @param request the request that was granted
	 * @param callbacks runs users' callbacks
	 */
	Hold(Keeper keeper, AcquireRequest request, HoldTerms terms, long fencingToken, HandOverKind from,
			LockListener listener, Executor callbacks) {
		this.keeper = keeper;
		this.request = request;
		this.terms = terms;
		this.fencingToken = fencingToken;
		this.from = from;
		this.listener = listener;
		this.callbacks = callbacks;
	}

	/**
	 * Return what the caller can rely on now.
	 */
	synchronized Standing standing() {
		return (this.end != null) ? this.end : lease().standing();
	}

	@Override
	public String name() {
		return target().name();
	}

	@Override
	public LockTarget target() {
		return this.request.target();
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
				|| (other.isShared() && own.maxHolders() < Integer.MAX_VALUE && own.names().equals(other.names()));
	}

	@Override
	public String owner() {
		return this.request.owner();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	Keeper keeper() {
		return this.keeper;
	}

	HoldTerms terms() {
		return this.terms;
	}

	private Lease lease() {
		return this.terms.lease();
	}

	synchronized LossReport loss() {
		LossReport present = this.loss;
		if (present == null) {
			present = new LossReport(this, this.listener, this.callbacks, this.terms::now, this.terms::end);
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
		return this.terms.monitor();
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
		this.keeper.watch();
		// The lock may have been lost since it was granted.
		lookForLoss();
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
	public boolean isHeld() {
		return standing() == Standing.SURE;
	}

	@Override
	public synchronized Duration remaining() {
		return (this.end == null) ? lease().remaining() : Duration.ZERO;
	}

	/**
	 * Check whether the lock has leaked, and report a long hold.
	 */
	void oversee() {
		boolean forgotten;
		synchronized (this) {
			if (this.end != null) {
				return;
			}
			forgotten = !this.entries.isEmpty() && this.entries.stream().allMatch((entry) -> entry.refersTo(null));
		}
		monitor().check(forgotten, target(), lease().isEndless() ? null : remaining());
		monitor().reportIfDue(target(), this.terms.held());
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
		boolean open = covers(asked) && standing().isOpen() && !this.entries.isEmpty() && monitor().isReentrant();
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
			this.entries = (this.entries.size() == 1) ? List.of()
					: this.entries.stream().filter((other) -> !other.equals(entry)).toList();
			last = this.entries.isEmpty();
			boolean kept = standing().isOpen();
			exit = (last || this.end == Standing.RELEASED) ? outcome()
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
			lookForLoss();
		}
		return exit;
	}

	/**
	 * Release the lock, even if entries are left.
	 */
	CompletableFuture<ReleaseOutcome> release() {
		lookForLoss();
		boolean lost;
		synchronized (this) {
			if (this.end == Standing.RELEASED) {
				return outcome();
			}
			lost = this.end == Standing.LOST;
			this.end = Standing.RELEASED;
			if (this.loss != null) {
				this.loss.forgetAll();
			}
		}
		if (lost) {
			this.keeper.releaseUnheld();
			released(ReleaseOutcome.NOT_HELD);
		}
		else {
			this.keeper.released();
		}
		return outcome();
	}

	/**
	 * Release the lock at shutdown. For work that still runs under it, the lock is lost.
	 */
	CompletableFuture<ReleaseOutcome> releaseAtShutdown() {
		if (standing().isOpen()) {
			lease().lose(Loss.shutDown(this.terms.now()));
		}
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
		lookForLoss();
		if (!loss().addAction(entry, action)) {
			action.run();
		}
	}

	LockLostException lossAsException() {
		lookForLoss();
		return loss().asException();
	}

	/**
	 * Notice a loss of the lock, if there is one, and report it.
	 */
	void lookForLoss() {
		noticeLoss();
		publishLoss();
	}

	/**
	 * End this hold if the lock is lost, and notify the holder. {@link #publishLoss()}
	 * has to be called afterwards.
	 */
	void noticeLoss() {
		List<Runnable> actions;
		synchronized (this) {
			if (this.end != null || lease().standing() != Standing.LOST) {
				return;
			}
			this.end = Standing.LOST;
			actions = loss().record(Objects.requireNonNullElseGet(lease().loss(), this.terms::end));
		}
		this.keeper.lost();
		over();
		actions.forEach(Runnable::run);
	}

	/**
	 * Renew the lease with the length that it had when the lock was acquired.
	 */
	CompletionStage<Void> renew() {
		requireChangeable();
		return change(this.terms.settings().lease()::required);
	}

	CompletionStage<Void> renew(Duration lease) {
		Durations.requireBetween("renew(lease)", lease, LeaseLength.SHORTEST, LeaseLength.LONGEST);
		requireChangeable();
		return change(() -> lease);
	}

	CompletionStage<Void> extend(Duration additional) {
		Durations.requireBetween("extend(additional)", additional, Duration.ofMillis(1), LeaseLength.LONGEST);
		requireChangeable();
		Durations.requireAtMost("the lease after extend(additional)", this.terms.rest().plus(additional),
				LeaseLength.LONGEST);
		// The request contains the whole lease, so the time is added only once even if
		// the request is delivered twice.
		return change(() -> this.terms.rest().plus(additional));
	}

	private CompletionStage<Void> change(Supplier<Duration> wanted) {
		return this.keeper.change(this::requireChangeable, wanted).thenAccept((ours) -> {
			if (!ours || !standing().isOpen()) {
				throw lossAsException();
			}
		});
	}

	private void requireChangeable() {
		lookForLoss();
		if (loss().isKnown()) {
			throw this.loss().asException();
		}
		if (standing() == Standing.RELEASED) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(target()));
		}
		if (lease().isEndless()) {
			throw new IllegalStateException("Lock '%s' never expires: its lease cannot be changed".formatted(target()));
		}
	}

	/**
	 * Ask the store whether the lock is still ours.
	 */
	CompletionStage<Boolean> verify() {
		lookForLoss();
		return standing().isOpen() ? this.keeper.verify().thenApply((ours) -> ours && standing().isOpen())
				: CompletableFuture.completedFuture(false);
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
		if (lease().isOver()) {
			// The release was requested in time, but the lock may have expired before the
			// store processed it.
			released(ReleaseOutcome.UNKNOWN);
			return;
		}
		// The work has ended, so no action for the loss runs.
		lease().refuse();
		loss().record(Objects.requireNonNull(lease().loss()));
		publishLoss();
		released(ReleaseOutcome.NOT_HELD);
	}

	private void released(ReleaseOutcome outcome) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' released after %s (%s), fencing token %s".formatted(target(),
					Durations.describe(this.terms.held()), outcome, this.fencingToken));
		}
		this.listener.released(this, outcome, this.terms.held());
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
	 * The tenure that keeps the lock for a hold.
	 */
	interface Keeper {

		/**
		 * Watch the lease for the present hold.
		 */
		void watch();

		/**
		 * Request a new lease.
		 * @param allowed a check that throws if the change is no longer allowed
		 * @param wanted returns the new lease; called when it is this change's turn
		 * @return whether the lock was still ours
		 */
		CompletionStage<Boolean> change(Runnable allowed, Supplier<Duration> wanted);

		/**
		 * Ask the store whether the lock is still ours.
		 */
		CompletionStage<Boolean> verify();

		/**
		 * Make sure that the lock is still ours after a message about a forced release.
		 */
		void takenByForce();

		/**
		 * Return why the last renewal was not confirmed, or {@code null}.
		 */
		@Nullable String trouble();

		/**
		 * Handle that the present hold is lost.
		 */
		void lost();

		/**
		 * Handle that the present hold is released.
		 */
		void released();

		/**
		 * Release the lock in the background because no caller holds it.
		 */
		void releaseUnheld();

	}

}
