package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.YieldAnswer;
import io.github.redislock.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * The time for which this process keeps a lock, with one owner token: the lease, and the
 * hold of one caller after the other.
 * <p>
 * Holds begin and end in the mailbox of the listener; what a holder asks of the lease may
 * come from any thread.
 */
final class Tenure {

	private final EngineParts parts;

	private final Listener listener;

	private final Grant grant;

	/** Another one from when on others may read beside its holder. */
	private volatile AcquireRequest request;

	private final Renewal renewal;

	private final long begunAt;

	private int holds;

	private boolean watched;

	private boolean watchedRenewal;

	/** Nobody's before the first caller begins his own. */
	private volatile @Nullable Hold hold;

	/** The store has said that the lock is not ours. */
	private volatile boolean taken;

	/** When the store told that the lock was taken from whoever held it. */
	private volatile @Nullable Instant toldOfForceAt;

	/** The store shall let others read, and has not said that it does. */
	private volatile boolean downgrading;

	/**
	 * Create the tenure of a lock that was just granted.
	 */
	Tenure(EngineParts parts, Listener listener, Grant grant) {
		this.parts = parts;
		this.listener = listener;
		this.grant = grant;
		this.request = grant.request();
		this.begunAt = parts.timer().nanoTime();
		this.renewal = new Renewal(parts, this, grant.lease());
	}

	AcquireRequest request() {
		return this.request;
	}

	HeldLease lease() {
		return this.grant.lease();
	}

	Renewal renewal() {
		return this.renewal;
	}

	/**
	 * Return the way to let the lock go.
	 */
	LettingGo lettingGo() {
		return new LettingGo(this.parts, requestToRelease(), this.grant.settings(), this.grant.lateRequest(),
				this.begunAt);
	}

	/**
	 * Return the request as it is released: a store may have to try for as long as it
	 * keeps the lock by now.
	 */
	private AcquireRequest requestToRelease() {
		return this.request.lastingAtLeast(this.parts.timeToLive(lease().rest(), Duration.ZERO));
	}

	/**
	 * Return the present hold, or the last one; {@code null} before the first one begins.
	 */
	@Nullable Hold hold() {
		return this.hold;
	}

	/**
	 * Return from whom the next caller has the lock whose hold begins.
	 */
	HandOverKind cameFrom() {
		return (this.holds > 0) ? HandOverKind.LOCAL : this.grant.origin();
	}

	/**
	 * Begin a caller's hold, with a fencing token of its own.
	 * @param listener hears what happens to it
	 * @param firstEntry makes what listeners see
	 */
	Hold begin(AcquireSettings settings, @Nullable Taker taker, LockListener listener,
			Function<Hold, ? extends Hold.Entry> firstEntry) {
		Hold former = this.hold;
		// The lease may not be watched over any more as the next holder wants it.
		this.watched &= former != null && former.goesOn();
		Hold next = new Hold(this.parts, this, settings, this.grant.fencingToken() + this.holds, taker, listener,
				firstEntry);
		this.hold = next;
		this.holds++;
		return next;
	}

	/**
	 * Renew the lease and watch over it, as the present holder wants it.
	 */
	void watch() {
		boolean renewed = present().settings().autoRenew();
		if (!this.watched || renewed != this.watchedRenewal) {
			this.watched = true;
			this.watchedRenewal = renewed;
			this.renewal.schedule();
		}
	}

	/**
	 * Return whether it is still this process's turn.
	 */
	boolean mayPass() {
		PassLimits limits = this.parts.passLimits();
		return this.holds <= limits.passes() && !this.taken && !lease().isOver() && !lease().isInDoubt()
				&& this.parts.timer().nanoTime() - this.begunAt < Durations.nanos(limits.slice()) && !mayBeTaken();
	}

	/**
	 * Return whether somebody may have taken the lock by force without our having heard.
	 */
	private boolean mayBeTaken() {
		return this.toldOfForceAt != null || !this.parts.store().tellsOfForce()
				|| this.parts.handOvers().changes() != this.grant.changesBefore();
	}

	/**
	 * Begin the lease anew for the next caller.
	 * @return whether the lock was ours still
	 */
	CompletionStage<Boolean> renewFor(AcquireSettings settings) {
		return this.renewal.change(settings.lease()::required);
	}

	/**
	 * Ask the store for another lease.
	 * @param timeToLive {@code null} to leave it as it is
	 * @return whether the lock is ours
	 */
	CompletionStage<Boolean> renew(@Nullable Duration timeToLive) {
		// This first: what is downgraded is asked for as shared.
		boolean downgraded = this.downgrading;
		AcquireRequest present = this.request;
		if (timeToLive == null) {
			return this.parts.store().isOwner(present.target(), present.owner());
		}
		if (!downgraded) {
			return this.parts.store().renew(present.target(), present.owner(), timeToLive);
		}
		return this.parts.store().downgrade(present, timeToLive).whenComplete((ours, failure) -> {
			if (failure == null) {
				this.downgrading = false;
			}
		});
	}

	/**
	 * Return whether the next renewal is more than that, and cannot go with others.
	 */
	boolean isDowngrading() {
		return this.downgrading;
	}

	/**
	 * Let others read beside the present holder. If the store does not answer, each
	 * renewal asks for it again.
	 * @return whether the lock is ours
	 */
	CompletionStage<Boolean> downgrade(Hold holder) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		if (this.request.target().isShared()) {
			askToDowngrade(holder, answer);
		}
		else {
			this.listener.shared(this, () -> {
				if (!becomeShared(holder, answer)) {
					return false;
				}
				askToDowngrade(holder, answer);
				return true;
			});
		}
		return answer;
	}

	private boolean becomeShared(Hold holder, CompletableFuture<?> answer) {
		try {
			holder.share(() -> {
				this.request = this.request.forReading();
				this.downgrading = true;
			});
			return true;
		}
		catch (LockException | IllegalStateException ex) {
			answer.completeExceptionally(ex);
			return false;
		}
	}

	private void askToDowngrade(Hold holder, CompletableFuture<Boolean> answer) {
		this.renewal.change(holder::requireRenewable, () -> this.renewal.atLeastTheRest(holder.leaseAnew()))
			.whenComplete((ours, failure) -> {
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				else {
					answer.complete(ours);
				}
			});
	}

	/**
	 * Let the lock go for its last holder.
	 */
	void release() {
		Hold last = present();
		// A renewal that came after this release would keep a lock closed for its whole
		// lease that shall stay closed for a while only; otherwise it would find nothing.
		CompletableFuture<?> stopped = this.renewal.stop();
		LettingGo lettingGo = lettingGo();
		CompletableFuture<?> ready = lettingGo.keepFor().isZero() ? stopped : this.renewal.lastChange();
		ready.whenComplete((done, failed) -> lettingGo.send().whenComplete(last::settleRelease));
	}

	/**
	 * Let the lock go and ask for it anew in one step.
	 */
	CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest next) {
		Hold last = present();
		return this.renewal.stop()
			.thenCompose((sent) -> this.parts.store().yieldAndAcquire(requestToRelease(), next))
			.whenComplete(
					(answer, failure) -> last.settleRelease((answer != null) ? answer.released() : null, failure));
	}

	/**
	 * Let the lock go without anybody who waits for it.
	 */
	void free() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Nobody holds the lock any more: whoever closes the engine has to wait for it.
		this.parts.retry().watch(done);
		this.renewal.stop()
			.thenCompose((stopped) -> lettingGo().sendInBackground(lease().rest()))
			.whenComplete((settled, failure) -> done.complete(null));
	}

	/**
	 * Lose the lock, since the store does not know it as ours.
	 */
	void loseToOther() {
		this.taken = true;
		loseHold();
		// Whose hold began in this very moment has lost it, too.
		this.listener.run(this::loseHold);
	}

	private void loseHold() {
		Hold present = this.hold;
		if (present != null) {
			present.loseToOther();
		}
	}

	/**
	 * Ask the store whether the lock is ours, which has told that it was taken by force;
	 * again and again until it answers, since it tells only once.
	 */
	void suspectForce() {
		Instant toldAt = this.parts.timer().now();
		this.toldOfForceAt = toldAt;
		askAfterForce(toldAt);
	}

	private void askAfterForce(Instant toldAt) {
		Hold present = this.hold;
		if (present == null) {
			return;
		}
		present.verify().whenComplete((ours, failure) -> {
			if (!toldAt.equals(this.toldOfForceAt)) {
				// Later news has a question of its own.
				return;
			}
			if (failure != null) {
				this.parts.timer().schedule(() -> askAfterForce(toldAt), lease().pause());
			}
			else if (ours) {
				// The news was older than this tenure.
				this.toldOfForceAt = null;
			}
		});
	}

	/**
	 * Return when the store told that somebody took the lock, or {@code null} if it has
	 * not.
	 */
	@Nullable Instant toldOfForceAt() {
		return this.toldOfForceAt;
	}

	/**
	 * Return how the next hold has come by the lock, for people.
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

	/**
	 * Go no further: the present hold was lost.
	 */
	void lost() {
		this.renewal.stop();
		this.listener.lost(this);
	}

	/**
	 * Let the present hold go, when its last entry was left.
	 */
	void letGo() {
		this.listener.released(this);
	}

	/**
	 * Return what this process itself knows of the lock.
	 */
	LockState state() {
		Duration freeIn = lease().isEndless() ? ChronoUnit.FOREVER.getDuration()
				: this.parts.timeToLive(lease().rest(), lettingGo().keepFor());
		Hold present = this.hold;
		long token = (present != null) ? present.fencingToken() : this.grant.fencingToken();
		return new LockState(this.request.target().name(), this.request.owner(), freeIn, token, token, null, true, 1);
	}

	private Hold present() {
		return Objects.requireNonNull(this.hold, "nobody has the lock yet");
	}

	/**
	 * Those to whom the lock belongs.
	 */
	interface Listener {

		/**
		 * Do something where holds begin and end.
		 */
		void run(Runnable step);

		/**
		 * The last holder has let the lock go: it is for others now, or to be released.
		 */
		void released(Tenure tenure);

		/**
		 * The lock is not ours any more.
		 */
		void lost(Tenure tenure);

		/**
		 * The holder is about to share the lock from now on.
		 * @param shares what makes it so, before anybody else asks for it, and tells
		 * whether it has: meanwhile it may have been passed on
		 */
		void shared(Tenure tenure, BooleanSupplier shares);

	}

}
