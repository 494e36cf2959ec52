package io.github.redislock;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a caller into a hold, which is left once. Thread-safe.
 */
final class HoldEntry {

	private final Hold hold;

	private final AtomicReference<@Nullable CompletableFuture<ReleaseOutcome>> exit = new AtomicReference<>();

	/** What the caller was given: whoever drops it can never leave. */
	private volatile WeakReference<HoldHandle> handle = new WeakReference<>(null);

	HoldEntry(Hold hold) {
		this.hold = hold;
	}

	Hold hold() {
		return this.hold;
	}

	/**
	 * Return the handle for the caller.
	 */
	HoldHandle newHandle() {
		HoldHandle created = new HoldHandle(this, true);
		this.handle = new WeakReference<>(created);
		return created;
	}

	/**
	 * Return whether the caller has dropped the handle without leaving.
	 */
	boolean isForgotten() {
		return this.handle.refersTo(null);
	}

	boolean isLeft() {
		return this.exit.get() != null;
	}

	/**
	 * Leave. Twice is harmless.
	 * @return what became of the lock
	 */
	CompletableFuture<ReleaseOutcome> leave() {
		CompletableFuture<ReleaseOutcome> own = new CompletableFuture<>();
		CompletableFuture<ReleaseOutcome> earlier = this.exit.compareAndExchange(null, own);
		if (earlier != null) {
			return earlier;
		}
		this.hold.exit(this).whenComplete((outcome, failure) -> own.complete(outcome));
		return own;
	}

}
