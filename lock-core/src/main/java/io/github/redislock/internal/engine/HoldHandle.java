package io.github.redislock.internal.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;

import org.springframework.util.Assert;

/**
 * Base class of callers' handles. A handle refers to a hold, and to one entry into it.
 * The entry is a weak reference to the handle, so that a dropped handle can be detected.
 */
class HoldHandle implements CallersLock {

	private final Hold hold;

	private final SystemResources.Waiting waiting;

	private final OnLost onLost;

	private final HoldEntry entry;

	/**
	 * Create a handle with a new entry into a hold.
	 * @param waiting lets a thread wait for replies
	 * @param onLost what happens to the caller's work when the lock is lost
	 */
	HoldHandle(Hold hold, SystemResources.Waiting waiting, OnLost onLost) {
		this.hold = hold;
		this.waiting = waiting;
		this.onLost = onLost;
		this.entry = hold.enter(this);
	}

	/**
	 * Create another handle for the same entry.
	 */
	HoldHandle(HoldHandle other) {
		this.hold = other.hold;
		this.waiting = other.waiting;
		this.onLost = other.onLost;
		this.entry = other.entry;
	}

	/**
	 * Return the hold, without recording that the current thread uses it.
	 */
	final Hold hold() {
		return this.hold;
	}

	/**
	 * Return the hold, which the current thread is about to use.
	 */
	Hold used() {
		return this.hold;
	}

	@Override
	public final Reference<CallersLock> reference() {
		return this.entry;
	}

	@Override
	public final OnLost onLost() {
		return this.onLost;
	}

	@Override
	public Stream<FenceRow> fenceRows() {
		return Stream.empty();
	}

	@Override
	public final List<String> names() {
		return this.hold.target().names();
	}

	@Override
	public final boolean covers(LockTarget target) {
		return this.hold.covers(target);
	}

	@Override
	public final boolean isLost() {
		return !holds() && !isOver() && !await(askOwner());
	}

	@Override
	public final LockLostException lost() {
		return this.hold.lossAsException();
	}

	@Override
	public boolean isOver() {
		return hasLeft();
	}

	@Override
	public final String name() {
		return used().name();
	}

	@Override
	public final LockTarget target() {
		return used().target();
	}

	@Override
	public final String owner() {
		return used().owner();
	}

	@Override
	public final long fencingToken() {
		return used().fencingToken();
	}

	@Override
	public final boolean isHeld() {
		return used().isHeld() && !hasLeft();
	}

	@Override
	public final Duration remaining() {
		return hasLeft() ? Duration.ZERO : used().remaining();
	}

	@Override
	public final void onLost(Runnable action) {
		Assert.notNull(action, "action must not be null");
		Hold used = used();
		whenLost(() -> used.loss().call(action));
	}

	/**
	 * Return whether the lock is ours, without recording that the current thread uses it.
	 */
	final boolean holds() {
		return !hasLeft() && this.hold.isHeld();
	}

	final boolean hasLeft() {
		return this.entry.exit() != null;
	}

	boolean isReleased() {
		return hasLeft();
	}

	/**
	 * Run an action if the lock is lost before the entry ends, on the thread that notices
	 * the loss.
	 * @param action must not block or fail
	 */
	final void whenLost(Runnable action) {
		if (!hasLeft()) {
			this.hold.whenLost(this.entry, action);
		}
	}

	final CompletionStage<Boolean> askOwner() {
		Hold used = used();
		return hasLeft() ? CompletableFuture.completedFuture(false) : used.verify();
	}

	/**
	 * Change the lease.
	 * @throws IllegalStateException if the lock was released
	 */
	final CompletionStage<Void> change(Function<Hold, CompletionStage<Void>> change) {
		if (isReleased()) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
		}
		return change.apply(used());
	}

	final CompletableFuture<ReleaseOutcome> leave() {
		return this.hold.release(this.entry);
	}

	final <T> T await(CompletionStage<T> reply) {
		return StoreReplies.await(this.waiting, this.hold.target(), reply);
	}

	@Override
	public final String toString() {
		return "LockHandle[name=%s, fencingToken=%s, held=%s]".formatted(name(), this.hold.fencingToken(), holds());
	}

}
