package io.github.redislock.internal.engine;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a hold. An entry can end only once. This object is a weak reference to
 * the caller's handle.
 */
final class HoldEntry extends WeakReference<CallersLock> {

	/** Written once, under the hold's monitor. */
	private volatile @Nullable CompletableFuture<ReleaseOutcome> exit;

	HoldEntry(CallersLock handle) {
		super(handle);
	}

	/**
	 * Return the outcome of the release that ended this entry, or {@code null} if the
	 * entry has not ended.
	 */
	@Nullable CompletableFuture<ReleaseOutcome> exit() {
		return this.exit;
	}

	void end(CompletableFuture<ReleaseOutcome> exit) {
		this.exit = exit;
	}

}
