package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockListener;
import io.github.redislock.LockState;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

/**
 * The period during which this process keeps a lock under one owner token. It has one
 * lease, and its callers hold the lock one after another. It ends with a release in the
 * store, which is repeated in the background if it fails.
 * <p>
 * Holds begin in the listener's executor. A holder may change the lease from any thread.
 */
final class Tenure implements Hold.Keeper {

	/**
	 * How many callers of this process may hold the lock one after another, each with its
	 * own fencing token: one by the grant, and 32 to which the lock is passed on.
	 */
	static final int MOST_HOLDS = 33;

	/**
	 * How long the store's clock is trusted not to have been set back since the grant.
	 */
	private static final long RECENT_NANOS = Duration.ofSeconds(1).toNanos();

	private final EngineStore store;

	private final JumpDetectingTimer timer;

	private final StoreMessages messages;

	private final Duration slice;

	private final Listener listener;

	private final Grant grant;

	private final Renewal renewal;

	private final long begunAt;

	private int holds;

	Tenure(EngineStore store, JumpDetectingTimer timer, StoreMessages messages, Renewer renewer, Duration slice,
			Listener listener, Grant grant) {
		this.store = store;
		this.timer = timer;
		this.messages = messages;
		this.slice = slice;
		this.listener = listener;
		this.grant = grant;
		this.begunAt = timer.nanoTime();
		this.renewal = new Renewal(timer, renewer, this::renewal, grant.lease());
	}

	private AcquireRequest request() {
		return this.grant.request();
	}

	Lease lease() {
		return this.grant.lease();
	}

	/**
	 * Return the rest of the minimum hold time.
	 */
	private Duration keepFor() {
		Duration atLeast = this.grant.settings().atLeastFor();
		return atLeast.isZero() ? atLeast
				: Durations.max(atLeast.minusNanos(this.timer.nanoTime() - this.begunAt), Duration.ZERO);
	}

	private Duration timeToLive(Duration lease) {
		return this.store.timeToLive(lease, keepFor());
	}

	/**
	 * Return the fencing token for a release in the store's shorter way, or 0 if the lock
	 * cannot be released that way.
	 */
	private long quickToken() {
		return (this.grant.quick() && !mayRepeatTokens()) ? this.grant.fencingToken() : 0;
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

	/**
	 * Begin a caller's hold, with its own fencing token.
	 * @param callbacks runs the callbacks of users
	 * @param listener receives the events of the hold
	 */
	Hold begin(AcquireSettings settings, HoldMonitor monitor, LockListener listener, Executor callbacks) {
		// The next holder may have other settings for renewal.
		lease().renewEvery(settings.renewEvery());
		HandOverKind cameFrom = (this.holds > 0) ? HandOverKind.LOCAL : this.grant.origin();
		Hold next = new Hold(this, request(), new HoldTerms(lease(), this.timer, settings, monitor),
				this.grant.fencingToken() + this.holds, cameFrom, listener, callbacks);
		this.renewal.serve(next);
		this.holds++;
		return next;
	}

	@Override
	public void watch() {
		this.renewal.schedule();
	}

	boolean mayPass() {
		// The lock may have been released by force without a message.
		return this.holds < MOST_HOLDS && lease().standing() == Standing.SURE && !lease().isInDoubt()
				&& this.timer.nanoTime() - this.begunAt < Durations.nanos(this.slice)
				&& this.store.reportsForcedReleases()
				&& this.messages.channelChanges() == this.grant.channelChangesBefore();
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
		this.store.awaitAtClose(done);
		this.renewal.change(settings.lease()::required).whenComplete((ours, failure) -> {
			renewed.accept(Boolean.TRUE.equals(ours));
			done.complete(null);
		});
	}

	@Override
	public CompletionStage<Boolean> change(Runnable allowed, Supplier<Duration> wanted) {
		return this.renewal.change(allowed, wanted);
	}

	@Override
	public CompletionStage<Boolean> verify() {
		if (lease().mayBeOver()) {
			return this.renewal.change(this.renewal::wantedLease);
		}
		int forces = lease().forces();
		long askedAt = this.timer.nanoTime();
		return this.store.renew(renewal(null, null)).thenApply((ours) -> {
			this.renewal.confirmed(askedAt, forces, ours);
			return ours;
		});
	}

	/**
	 * Return a request for a new lease.
	 * @param lease {@code null} to leave the lease unchanged
	 * @param within the timeout of the request; {@code null} for the store's own timeout
	 */
	private RenewRequest renewal(@Nullable Duration lease, @Nullable Duration within) {
		return new RenewRequest(request().target(), request().owner(), (lease != null) ? timeToLive(lease) : null,
				within);
	}

	@Override
	public @Nullable String trouble() {
		return this.renewal.trouble();
	}

	@Override
	public void takenByForce() {
		lease().force();
		this.renewal.checkAgain();
		Hold present = this.renewal.holder();
		if (present != null) {
			present.verify();
		}
	}

	/**
	 * Describe how the next hold gets the lock, for the log.
	 */
	String describeOrigin() {
		if (this.holds > 0) {
			return "passed on within this instance";
		}
		LockState before = this.grant.before();
		if (before == null) {
			return "free";
		}
		return (lease().isClaim() ? "handed over by " : "after ") + before.holder();
	}

	@Override
	public void lost() {
		this.renewal.stop();
		this.listener.lost(this);
	}

	@Override
	public void released() {
		this.listener.release(this);
	}

	LockState state() {
		Duration freeIn = lease().isEndless() ? ChronoUnit.FOREVER.getDuration() : timeToLive(lease().rest());
		Hold present = this.renewal.holder();
		long token = (present != null) ? present.fencingToken() : this.grant.fencingToken();
		return LockState.of(request().target().name(), request().owner(), freeIn, token, token, null, true, 1);
	}

	private Hold present() {
		return Objects.requireNonNull(this.renewal.holder(), "no hold has begun yet");
	}

	/**
	 * Release the lock in the store for the present hold.
	 */
	void release() {
		Hold last = present();
		CompletableFuture<?> ready = stopRenewal();
		if (ready.isDone()) {
			release(last);
		}
		else {
			ready.whenComplete((done, failed) -> release(last));
		}
	}

	private void release(Hold last) {
		this.store.release(requestToRelease(), quickToken(), keepFor())
			.whenComplete((ours, failure) -> settle(last, ours, failure));
	}

	/**
	 * Release the lock and request it again, in one step if possible.
	 */
	CompletionStage<AcquireReply> yieldAndAcquire(AcquireRequest next) {
		Hold last = present();
		return this.renewal.stop()
			.thenCompose((sent) -> this.store.yieldAndAcquire(requestToRelease(), next))
			.whenComplete((reply, failure) -> settle(last, (reply != null) ? reply.released() : null, failure))
			.thenCompose(YieldReply::next);
	}

	@Override
	public void releaseUnheld() {
		releaseAfter(stopRenewal());
	}

	/**
	 * Return the request for the release. Its lease is at least as long as the store may
	 * keep the lock, because the release may have to be repeated until then.
	 */
	private AcquireRequest requestToRelease() {
		return request().lastingAtLeast(this.store.timeToLive(lease().longestRest(), Duration.ZERO));
	}

	/**
	 * Stop renewing, and return a future that completes when the lock may be released.
	 * With a minimum hold time, it completes after the last renewal, because a renewal
	 * that arrives later would keep the lock for a whole lease. Otherwise, it completes
	 * after 100 ms at the latest.
	 */
	private CompletableFuture<?> stopRenewal() {
		CompletableFuture<?> stopped = this.renewal.stop();
		return keepFor().isZero() ? stopped : this.renewal.lastChange();
	}

	private void settle(Hold last, @Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			// A lease that is still being requested decides how long to repeat the
			// release.
			releaseAfter(this.renewal.lastChange());
		}
		else {
			withdrawLateRequest();
			releaseAfterMinimumHold(last.terms().settings().owner());
		}
		last.settleRelease(ours, failure);
	}

	/**
	 * Release the lock again after its minimum hold time if a renewal without a reply may
	 * still arrive, because that would keep the lock for a whole lease. Not with a
	 * caller's own owner token, which may be that of another hold by then.
	 */
	private void releaseAfterMinimumHold(@Nullable String ownToken) {
		Duration kept = keepFor();
		if (ownToken == null && !kept.isZero() && lease().isInDoubt()) {
			this.timer.schedule(this::releaseInBackground, kept);
		}
	}

	private void releaseAfter(CompletableFuture<?> change) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Closing the engine finds no hold to wait for, so it has to wait for this
		// release.
		this.store.awaitAtClose(done);
		change.handle((stopped, failure) -> releaseInBackground())
			.thenCompose((release) -> release)
			.whenComplete((settled, failure) -> done.complete(null));
	}

	private CompletableFuture<Void> releaseInBackground() {
		return this.store.releaseInBackground(requestToRelease(), lease().longestRest(), this::keepFor)
			.thenRun(this::withdrawLateRequest);
	}

	/**
	 * Withdraw an earlier request that got no reply, so that it cannot acquire the lock
	 * again, either now or after the minimum hold time.
	 */
	private void withdrawLateRequest() {
		if (this.grant.lateRequest()) {
			this.store.withdraw(requestToRelease(), this::keepFor, false);
		}
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
