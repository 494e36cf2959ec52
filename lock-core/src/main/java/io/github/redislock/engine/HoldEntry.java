package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.CallersLock;
import io.github.redislock.HeldLock;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold, which is left once. It does not reference the caller's handle
 * strongly, so that the engine can detect a dropped handle.
 */
final class HoldEntry implements Hold.Entry, HeldLock {

	private final Hold hold;

	private final Reference<CallersLock> handle;

	/** Written under the hold's monitor, once. */
	private volatile @Nullable CompletableFuture<ReleaseOutcome> exit;

	/**
	 * Enter a hold.
	 * @param handle the caller's handle
	 */
	HoldEntry(Hold hold, CallersLock handle) {
		this.hold = hold;
		this.handle = new WeakReference<>(handle);
		hold.enter(this);
	}

	Hold hold() {
		return this.hold;
	}

	/**
	 * Return the only reference through which the caller's handle may be remembered.
	 */
	Reference<CallersLock> handle() {
		return this.handle;
	}

	@Override
	public @Nullable CompletableFuture<ReleaseOutcome> exit() {
		return this.exit;
	}

	@Override
	public void exited(CompletableFuture<ReleaseOutcome> exit) {
		this.exit = exit;
	}

	@Override
	public boolean isForgotten() {
		return this.handle.refersTo(null);
	}

	/**
	 * Return whether the entry was left.
	 */
	boolean hasLeft() {
		return this.exit != null;
	}

	/**
	 * Fail if the entry was left.
	 */
	void requireEntered() {
		if (hasLeft()) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
		}
	}

	/**
	 * Leave, and complete when the store has replied.
	 */
	CompletableFuture<ReleaseOutcome> release() {
		return this.hold.release(this);
	}

	/**
	 * Ask the store whether the lock is ours.
	 */
	CompletionStage<Boolean> verify() {
		return hasLeft() ? CompletableFuture.completedFuture(false) : this.hold.verify();
	}

	/**
	 * Run an action when the lock is lost, on the thread that notices it.
	 * @param action neither blocks nor fails
	 */
	void whenLost(Runnable action) {
		if (!hasLeft()) {
			this.hold.whenLost(this, action);
		}
	}

	@Override
	public String name() {
		return this.hold.name();
	}

	@Override
	public LockTarget target() {
		return this.hold.target();
	}

	@Override
	public String owner() {
		return this.hold.owner();
	}

	@Override
	public long fencingToken() {
		return this.hold.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !hasLeft() && this.hold.isHeld();
	}

	@Override
	public Duration remaining() {
		return hasLeft() ? Duration.ZERO : this.hold.remaining();
	}

	@Override
	public void onLost(Runnable action) {
		whenLost(() -> this.hold.call(action));
	}

	@Override
	public String toString() {
		return "LockHandle[name=%s, fencingToken=%d, held=%s]".formatted(name(), fencingToken(), isHeld());
	}

}
