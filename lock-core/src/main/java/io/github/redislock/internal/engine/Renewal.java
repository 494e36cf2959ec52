package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.store.RenewRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes the lease of a tenure, both automatically and at the holder's request. It also
 * wakes up when the lease is over. Thread-safe.
 */
final class Renewal extends Renewer.Wakeable {

	private static final Log logger = LogFactory.getLog(Renewal.class);

	/**
	 * The time in nanoseconds between two checks after interruptions, in case they follow
	 * one another quickly. It is shorter for a short lease.
	 */
	private static final long BETWEEN_CHECKS = Duration.ofSeconds(1).toNanos();

	private static final CompletableFuture<?> NO_CHANGE = CompletableFuture.completedFuture(null);

	/**
	 * A renewal may be sent up to 1/10 of its interval early, so that it can be combined
	 * with others.
	 */
	private static final int LEEWAY = 10;

	/** If there is no reply within 1/3 of a claim, the renewal is sent again. */
	private static final int CHANCES_OF_A_CLAIM = 3;

	/**
	 * How long a release without a minimum hold time waits for a pending change. Replies
	 * usually arrive much sooner.
	 */
	private static final Duration PATIENCE_OF_A_RELEASE = Duration.ofMillis(100);

	private final JumpDetectingTimer timer;

	private final Renewer renewer;

	private final BiFunction<@Nullable Duration, @Nullable Duration, RenewRequest> requests;

	private final Lease lease;

	/** {@code null} before the first hold begins. */
	private volatile @Nullable Hold holder;

	private @GuardedBy("this") State state = State.IDLE;

	/** Why the last renewal was not confirmed, or {@code null}. Read by any thread. */
	private volatile @Nullable String trouble;

	/** When the store may last have lost the lock. */
	private @GuardedBy("this") long suspectSince;

	/** When to check a lock that the store may have lost. */
	private @GuardedBy("this") long checkAt;

	/** The last requested change. The next one waits for it. */
	private @GuardedBy("this") CompletableFuture<?> lastChange = NO_CHANGE;

	/**
	 * Create the renewal of a lease.
	 * @param requests creates a request from the new lease ({@code null} to leave it
	 * unchanged) and the timeout ({@code null} for the store's own)
	 */
	Renewal(JumpDetectingTimer timer, Renewer renewer,
			BiFunction<@Nullable Duration, @Nullable Duration, RenewRequest> requests, Lease lease) {
		super(renewer);
		this.timer = timer;
		this.renewer = renewer;
		this.requests = requests;
		this.lease = lease;
		this.suspectSince = lease.confirmedAt();
		this.checkAt = this.suspectSince;
	}

	/**
	 * Set the hold whose terms apply from now on.
	 */
	void serve(Hold next) {
		this.holder = next;
	}

	@Nullable Hold holder() {
		return this.holder;
	}

	@Nullable String trouble() {
		return this.trouble;
	}

	/**
	 * Schedule a wake-up for the next renewal, the end of the lease, or the report of a
	 * long hold, whichever comes first.
	 */
	@Override
	synchronized void schedule() {
		Hold hold = this.holder;
		if (this.state == State.STOPPED || hold == null) {
			return;
		}
		long now = this.timer.nanoTime();
		// The end is watched even during a renewal, because the reply may come too late.
		long pause = Math.min(hold.terms().reportIn(now), this.lease.endsIn(now));
		long leeway = 0;
		if (this.state == State.IDLE && dueIn(now) < pause) {
			pause = dueIn(now);
			leeway = leeway();
		}
		if (pause < Lease.NEVER) {
			this.renewer.wakeAt(this, now + pause, leeway);
		}
	}

	@Override
	synchronized void checkIn(Duration pause) {
		long now = this.timer.nanoTime();
		this.checkAt += isSuspect() ? 0 : Math.max(now + pause.toNanos() - this.checkAt, 0);
		this.suspectSince = now;
		schedule();
	}

	/**
	 * Schedule another question whether the store still has the lock, in case the first
	 * one gets no reply.
	 */
	synchronized void checkAgain() {
		this.checkAt = this.timer.nanoTime() + betweenChecks();
		schedule();
	}

	private long betweenChecks() {
		return Math.min(BETWEEN_CHECKS, this.lease.pause().toNanos());
	}

	/**
	 * Return whether the store may have lost the lock since it last confirmed it.
	 */
	private synchronized boolean isSuspect() {
		return this.lease.isForced() || this.lease.confirmedAt() - this.suspectSince < 0;
	}

	/**
	 * Stop renewing and waking up.
	 * @return a future that completes when the pending change, if any, is done, or after
	 * 100 ms. A release waits for it, so that the change usually arrives first
	 */
	CompletableFuture<?> stop() {
		CompletableFuture<?> last;
		synchronized (this) {
			this.state = State.STOPPED;
			this.renewer.forget(this);
			last = this.lastChange;
		}
		return last.isDone() ? NO_CHANGE : soon(last);
	}

	/**
	 * Return a future that completes when all changes requested so far are done.
	 */
	synchronized CompletableFuture<?> lastChange() {
		return this.lastChange;
	}

	@Override
	List<Renewer.Change> wakeUp() {
		if (!checkAndBegin()) {
			return List.of();
		}
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		boolean ofClaim = this.lease.isClaim();
		boolean onlyCheck = wantedLease() == null;
		done.whenComplete((ours, failure) -> {
			forget(done);
			renewed(present(), onlyCheck, ofClaim, ours, failure);
		});
		CompletableFuture<?> before = follow(done);
		if (before.isDone()) {
			return begin(this::requireGoingOn, this::wantedLease, done);
		}
		before.whenComplete((reply, failed) -> this.renewer.send(begin(this::requireGoingOn, this::wantedLease, done)));
		return List.of();
	}

	/**
	 * Notify the holder if the lease is over. Otherwise, look for a leaked or
	 * suspiciously long hold, and begin a renewal if one is due.
	 * @return whether a renewal has begun
	 */
	private boolean checkAndBegin() {
		Hold hold = present();
		hold.noticeLoss();
		if (this.lease.standing() == Standing.LOST) {
			return false;
		}
		hold.oversee();
		synchronized (this) {
			long now = this.timer.nanoTime();
			boolean due = this.state == State.IDLE && dueIn(now) <= leeway();
			if (due) {
				this.state = State.RENEWING;
				this.checkAt = now + betweenChecks();
			}
			schedule();
			return due;
		}
	}

	@Override
	void report() {
		present().publishLoss();
	}

	/**
	 * Request a new lease while the tenure lasts.
	 * @param wanted returns the new lease; called when it is this change's turn
	 * @return whether the lock was still ours
	 */
	CompletionStage<Boolean> change(Supplier<? extends @Nullable Duration> wanted) {
		return change(this::requireGoingOn, wanted);
	}

	/**
	 * Request a new lease once the previous change is done. Otherwise, with several
	 * connections, the earlier change could arrive last and overwrite the later one.
	 * @param allowed a check that throws if the change is no longer allowed
	 * @param wanted returns the new lease; called when it is this change's turn
	 * @return whether the lock was still ours
	 */
	CompletionStage<Boolean> change(Runnable allowed, Supplier<? extends @Nullable Duration> wanted) {
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		follow(done).whenComplete((reply, failed) -> this.renewer.send(begin(allowed, wanted, done)));
		return done;
	}

	/**
	 * Record a change as the last one, for which the next one waits.
	 * @return the previous change
	 */
	private synchronized CompletableFuture<?> follow(CompletableFuture<Boolean> next) {
		CompletableFuture<?> before = this.lastChange;
		this.lastChange = next;
		return before;
	}

	/**
	 * Begin a change whose turn has come.
	 * @return the change to send to the store; empty if the change is no longer allowed
	 * or has failed
	 */
	private List<Renewer.Change> begin(Runnable allowed, Supplier<? extends @Nullable Duration> wanted,
			CompletableFuture<Boolean> done) {
		try {
			allowed.run();
			Duration lease = wanted.get();
			int forces = this.lease.forces();
			long askedAt = this.timer.nanoTime();
			Duration within = null;
			if (lease != null) {
				// A claim may be shorter than the store's timeout, so its renewal gets a
				// shorter timeout.
				within = this.lease.isClaim() ? Durations.part(this.lease.length(), CHANCES_OF_A_CLAIM) : null;
				this.lease.boundBy(askedAt, lease);
			}
			schedule();
			RenewRequest request = this.requests.apply(lease, within);
			return List.of(new Renewer.Change(request, (ours, failure) -> {
				try {
					replied(askedAt, forces, lease, ours, failure);
				}
				catch (Throwable ex) {
					done.completeExceptionally(ex);
				}
				Futures.complete(done, ours, failure);
			}));
		}
		catch (Throwable ex) {
			done.completeExceptionally(ex);
			return List.of();
		}
	}

	private void replied(long askedAt, int forces, @Nullable Duration wanted, @Nullable Boolean ours,
			@Nullable Throwable failure) {
		if (failure != null) {
			boolean known = Futures.unwrap(failure) instanceof LockStoreException store && !store.isOutcomeUnknown();
			if (wanted != null && !known) {
				this.lease.doubt(askedAt, wanted);
			}
			return;
		}
		if (!confirmed(askedAt, forces, Boolean.TRUE.equals(ours))) {
			return;
		}
		recovered();
		if (wanted == null) {
			this.lease.lookAgain(askedAt);
		}
		else if (isGoingOn() && this.lease.standing().isOpen()) {
			this.lease.set(askedAt, wanted);
		}
		schedule();
	}

	/**
	 * Handle the store's reply to the question whether the lock is ours.
	 * @param askedAt when the request was sent
	 * @param forces the lease's {@link Lease#forces()} at that time
	 */
	boolean confirmed(long askedAt, int forces, boolean ours) {
		if (ours) {
			this.lease.confirm(askedAt, forces);
			return true;
		}
		this.lease.refuse();
		// A hold that has not begun yet notices the loss when it begins.
		Hold present = this.holder;
		if (present != null) {
			present.lookForLoss();
		}
		return false;
	}

	private synchronized void forget(CompletableFuture<?> done) {
		if (this.lastChange.equals(done)) {
			this.lastChange = NO_CHANGE;
		}
	}

	private synchronized boolean isGoingOn() {
		return this.state != State.STOPPED;
	}

	private void requireGoingOn() {
		if (!isGoingOn()) {
			LockTarget target = this.requests.apply(null, null).target();
			throw new IllegalStateException("Lock '%s' was released or lost".formatted(target));
		}
	}

	private CompletableFuture<?> soon(CompletableFuture<?> last) {
		CompletableFuture<@Nullable Void> soon = new CompletableFuture<>();
		Future<?> end = this.timer.schedule(() -> soon.complete(null), PATIENCE_OF_A_RELEASE);
		last.whenComplete((reply, failure) -> {
			end.cancel(false);
			soon.complete(null);
		});
		return soon;
	}

	/**
	 * Return in how many nanoseconds to send a request automatically, or
	 * {@link Lease#NEVER}: to renew the lease, or to check whether the store still has
	 * the lock.
	 */
	private synchronized long dueIn(long now) {
		long dueIn = (isToRenew() || this.lease.isEndless()) ? this.lease.renewIn(now) : Lease.NEVER;
		return isSuspect() ? Math.min(this.checkAt - now, dueIn) : dueIn;
	}

	/**
	 * Return whether the lease is to be renewed automatically, is a claim, or may be
	 * over.
	 */
	private boolean isToRenew() {
		return present().terms().goesOn() || this.lease.isClaim() || this.lease.mayBeOver();
	}

	/**
	 * Return the current holder. There is always one, because nothing is scheduled before
	 * the first hold.
	 */
	private Hold present() {
		return Objects.requireNonNull(this.holder, "no hold has begun yet");
	}

	private long leeway() {
		return this.lease.interval() / LEEWAY;
	}

	/**
	 * Return the lease to request with a renewal: at least the rest of the current one,
	 * so that a manual extension is kept.
	 * @return {@code null} if the lock is only checked
	 */
	@Nullable Duration wantedLease() {
		return (this.lease.isEndless() || !isToRenew()) ? null
				: Durations.max(this.lease.rest(), present().terms().wanted());
	}

	private void renewed(Hold hold, boolean onlyCheck, boolean ofClaim, @Nullable Boolean ours,
			@Nullable Throwable failure) {
		if (failure != null) {
			this.lease.retryRenewal(hold.terms().settings().lease());
		}
		synchronized (this) {
			if (this.state == State.STOPPED) {
				// The tenure has ended.
				return;
			}
			this.state = State.IDLE;
			schedule();
		}
		if (onlyCheck) {
			// The lock is not lost unless the store says so.
			this.trouble = (failure != null) ? Failures.ofStore(hold.target(), failure).getMessage() : null;
			return;
		}
		if (failure != null) {
			LockStoreException reason = Failures.ofStore(hold.target(), failure);
			logFailure(hold, String.valueOf(reason.getMessage()));
			hold.listener().renewalFailed(hold, reason);
		}
		else if (Boolean.TRUE.equals(ours)) {
			if (logger.isTraceEnabled()) {
				logger.trace("Lock '%s' renewed (%s left on its lease, fencing token %s)".formatted(hold.target(),
						Durations.describe(this.lease.remaining()), hold.fencingToken()));
			}
			if (!ofClaim) {
				hold.listener().renewed(hold);
			}
		}
	}

	/**
	 * Log a failure, with a warning for the first one only.
	 */
	private void logFailure(Hold hold, String reason) {
		boolean first = this.trouble == null;
		this.trouble = reason;
		if (!first && !logger.isDebugEnabled()) {
			return;
		}
		String message = "Could not renew lock '%s' (%s left on its lease, fencing token %s): %s"
			.formatted(hold.target(), Durations.describe(this.lease.remaining()), hold.fencingToken(), reason);
		if (first) {
			logger.warn(message + ". Retrying until the lease ends");
		}
		else {
			logger.debug(message);
		}
	}

	/**
	 * Record that the store has confirmed a change, automatic or not.
	 */
	private void recovered() {
		if (this.trouble != null && wantedLease() != null) {
			this.trouble = null;
			Hold hold = present();
			logger.info("Lock '%s' is renewed again, fencing token %s".formatted(hold.target(), hold.fencingToken()));
		}
	}

	/**
	 * The state of automatic renewal.
	 */
	private enum State {

		/** No renewal is pending; the next one may be scheduled. */
		IDLE,

		/** A renewal is due or pending; the next one is scheduled after its reply. */
		RENEWING,

		/** Stopped permanently. */
		STOPPED

	}

}
