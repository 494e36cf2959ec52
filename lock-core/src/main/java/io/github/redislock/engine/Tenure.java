package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockListener;
import io.github.redislock.LockState;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

/**
 * The period during which this process keeps a lock under one owner token. It has one
 * lease, and its callers hold the lock one after another.
 * <p>
 * Holds begin in the listener's executor. A holder may change the lease from any thread.
 */
final class Tenure {

	/**
	 * How long the store's clock is trusted not to have been set back since the grant.
	 */
	private static final long RECENT_NANOS = Duration.ofSeconds(1).toNanos();

	private final EngineStore store;

	private final WatchedTimer timer;

	private final HandOverDispatcher dispatcher;

	private final PassLimits passLimits;

	private final Listener listener;

	/** The settings of the caller for which the lock was requested. */
	private final AcquireSettings settings;

	private final LeaseDeadline lease;

	/**
	 * The fencing token of the first hold. The token of each later hold is one greater.
	 */
	private final long fencingToken;

	private final HandOverKind origin;

	/** The number of interruptions of the dispatcher before the grant. */
	private final int interruptionsBefore;

	/** The holder for which this process waited, if any. */
	private final @Nullable LockState before;

	private final AcquireRequest request;

	/** Whether the store granted the lock in its shorter way. */
	private final boolean quick;

	private final Renewal renewal;

	/** Whether an earlier request may still arrive at the store. */
	private final boolean lateRequest;

	private final long begunAt;

	private int holds;

	private Watch watch = Watch.NONE;

	/** {@code null} before the first hold begins. */
	private volatile @Nullable Hold hold;

	/**
	 * When the last message about a forced release came; {@code null} if none came, or if
	 * the lock was still ours afterwards.
	 */
	private volatile @Nullable Instant forcedAt;

	/** Set when a renewal or a check finds that the lock is not ours. */
	private volatile boolean taken;

	Tenure(EngineStore store, WatchedTimer timer, HandOverDispatcher dispatcher, Renewer renewer, PassLimits passLimits,
			Listener listener, Grant grant) {
		this.store = store;
		this.timer = timer;
		this.dispatcher = dispatcher;
		this.passLimits = passLimits;
		this.listener = listener;
		this.settings = grant.settings();
		this.lease = grant.lease();
		this.fencingToken = grant.fencingToken();
		this.origin = grant.origin();
		this.interruptionsBefore = grant.interruptionsBefore();
		this.before = grant.before();
		this.request = grant.request();
		this.quick = grant.quick();
		this.begunAt = timer.nanoTime();
		this.renewal = new Renewal(timer, renewer, this, grant.lease());
		this.lateRequest = grant.lateRequest();
	}

	AcquireRequest request() {
		return this.request;
	}

	LeaseDeadline lease() {
		return this.lease;
	}

	Renewal renewal() {
		return this.renewal;
	}

	/**
	 * Return the rest of the minimum hold time.
	 */
	Duration keepFor() {
		Duration atLeast = this.settings.atLeastFor();
		return atLeast.isZero() ? atLeast
				: Durations.max(atLeast.minusNanos(this.timer.nanoTime() - this.begunAt), Duration.ZERO);
	}

	void schedule(Runnable task, Duration delay) {
		this.timer.schedule(task, delay);
	}

	Duration timeToLive(Duration lease) {
		return this.store.timeToLive(lease, keepFor());
	}

	/**
	 * Return the fencing token for a release in the store's shorter way, or 0 if the lock
	 * cannot be released that way.
	 */
	long quickToken() {
		return (this.quick && !mayRepeatTokens()) ? this.fencingToken : 0;
	}

	/**
	 * Return whether the store has to record the fencing token at the release, because
	 * the next grant could otherwise repeat a token of this tenure. The token of an
	 * uncontended lock is the store's clock in microseconds. The clock may have been set
	 * back since the grant, which is ignored if the grant is recent, or more tokens may
	 * have been used than microseconds have passed.
	 */
	private boolean mayRepeatTokens() {
		long age = this.timer.nanoTime() - this.begunAt;
		return age > RECENT_NANOS || (this.holds > 1 && age <= this.holds * 1_000L);
	}

	@Nullable Hold hold() {
		return this.hold;
	}

	/**
	 * Begin a caller's hold, with its own fencing token.
	 * @param callbacks runs the callbacks of users
	 * @param listener receives the events of the hold
	 */
	Hold begin(AcquireSettings settings, HoldMonitor monitor, LockListener listener, Executor callbacks) {
		Hold former = this.hold;
		// The next holder may have other settings for renewal.
		boolean changed = this.lease.renewEvery(settings.renewEvery());
		if (changed || former == null || !former.lease().goesOn()) {
			this.watch = Watch.NONE;
		}
		HandOverKind cameFrom = (this.holds > 0) ? HandOverKind.LOCAL : this.origin;
		Hold next = new Hold(this, this.timer, settings, this.fencingToken + this.holds, cameFrom, monitor, listener,
				callbacks);
		this.hold = next;
		this.holds++;
		return next;
	}

	/**
	 * Schedule the next wake-up, unless the one scheduled for the previous holder also
	 * suits the current one.
	 */
	void watch() {
		Watch wanted = present().lease().settings().autoRenew() ? Watch.TO_RENEW : Watch.TO_END;
		if (this.watch != wanted) {
			this.watch = wanted;
			this.renewal.schedule();
		}
	}

	boolean mayPass() {
		return this.holds <= this.passLimits.passes() && !this.taken && !lease().isOver() && !lease().isInDoubt()
				&& this.timer.nanoTime() - this.begunAt < Durations.nanos(this.passLimits.slice())
				// The lock may have been released by force, perhaps without a message.
				&& !isTakenByForce() && this.store.reportsForcedReleases()
				&& this.dispatcher.interruptions() == this.interruptionsBefore;
	}

	/**
	 * End the current hold, because the lock passes to this process's next caller.
	 */
	void passOn() {
		present().passedOn();
	}

	/**
	 * Start the lease again for the next caller.
	 * @param renewed called with {@code true} if the store has confirmed that the lock is
	 * still ours
	 */
	void renewFor(AcquireSettings settings, Consumer<Boolean> renewed) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Between two holds, closing the engine finds no hold to wait for, so it has to
		// wait for this renewal.
		this.store.watch(done);
		this.renewal.change(settings.lease()::required).whenComplete((ours, failure) -> {
			renewed.accept(Boolean.TRUE.equals(ours));
			done.complete(null);
		});
	}

	/**
	 * Return a request for a new lease.
	 * @param lease {@code null} to leave the lease unchanged
	 * @param within the timeout of the request; {@code null} for the store's own timeout
	 */
	RenewRequest renewal(@Nullable Duration lease, @Nullable Duration within) {
		return new RenewRequest(this.request.target(), this.request.owner(), (lease != null) ? timeToLive(lease) : null,
				within);
	}

	CompletionStage<Boolean> isOwner() {
		return this.store.renew(renewal(null, null));
	}

	/**
	 * Mark the lock as lost because the store says that it is not ours.
	 */
	void loseToOther() {
		this.taken = true;
		loseHold();
		// A hold that has just begun has lost the lock too.
		this.listener.execute(this::loseHold);
	}

	private void loseHold() {
		Hold present = this.hold;
		if (present != null) {
			present.loseToOther();
		}
	}

	/**
	 * Return why the lock is lost if the store says that it is not ours.
	 */
	Loss takenAway() {
		Instant forcedAt = this.forcedAt;
		long confirmedAt = this.lease.confirmedAt();
		return (forcedAt != null) ? Loss.byForce(forcedAt, confirmedAt) : Loss.takenAway(confirmedAt);
	}

	/**
	 * Return whether a message about a forced release came, and the lock may not be ours.
	 */
	boolean isTakenByForce() {
		return this.forcedAt != null;
	}

	/**
	 * Handle a message about a forced release. The message may be older than this tenure,
	 * so ask the store whether the lock is still ours.
	 */
	void takenByForce() {
		Instant now = this.timer.now();
		this.forcedAt = now;
		verify(now);
	}

	/**
	 * Repeat the request until the store replies, because the message is sent only once.
	 */
	private void verify(Instant forcedAt) {
		Hold present = this.hold;
		if (present == null) {
			return;
		}
		present.lease().verify().whenComplete((ours, failure) -> {
			if (!forcedAt.equals(this.forcedAt)) {
				// A later message has started its own check.
				return;
			}
			if (failure != null) {
				this.timer.schedule(() -> verify(forcedAt), this.lease.pause());
			}
			else if (ours) {
				this.forcedAt = null;
			}
		});
	}

	TenureEnd end() {
		return new TenureEnd(this.store, this, this.lateRequest);
	}

	/**
	 * Describe how the next hold gets the lock, for the log.
	 */
	String describeOrigin() {
		if (this.holds > 0) {
			return "passed on within this instance";
		}
		LockState before = this.before;
		if (before == null) {
			return "free";
		}
		return (lease().isClaim() ? "handed over by " : "after ") + before.holder();
	}

	/**
	 * End this tenure because the current hold was lost.
	 */
	void lost() {
		this.renewal.stop();
		this.listener.lost(this);
	}

	Listener listener() {
		return this.listener;
	}

	LockState state() {
		Duration freeIn = lease().isEndless() ? ChronoUnit.FOREVER.getDuration() : timeToLive(lease().rest());
		Hold present = this.hold;
		long token = (present != null) ? present.fencingToken() : this.fencingToken;
		return LockState.of(this.request.target().name(), this.request.owner(), freeIn, token, token, null, true, 1);
	}

	Hold present() {
		return Objects.requireNonNull(this.hold, "no hold has begun yet");
	}

	/**
	 * The purpose of the scheduled wake-up; {@code NONE} if it has to be scheduled again.
	 */
	private enum Watch {

		NONE, TO_END, TO_RENEW

	}

	/**
	 * The owner of a tenure: the local queue whose callers hold the lock during it. It
	 * executes the steps in which holds begin.
	 */
	interface Listener extends Executor {

		/**
		 * Pass the lock on after its current hold, or release it in the store.
		 */
		void release(Tenure tenure);

		void lost(Tenure tenure);

	}

}
