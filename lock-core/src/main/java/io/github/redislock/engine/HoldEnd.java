package io.github.redislock.engine;

import java.util.concurrent.CompletableFuture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The end of a hold. The hold is over after its release or its loss, whichever comes
 * first. The outcome is known once the release is settled. Thread-safe.
 */
final class HoldEnd {

	private @GuardedBy("this") @Nullable CompletableFuture<ReleaseOutcome> outcome;

	private @GuardedBy("this") boolean over;

	private @GuardedBy("this") @Nullable Runnable action;

	synchronized CompletableFuture<ReleaseOutcome> outcome() {
		CompletableFuture<ReleaseOutcome> present = this.outcome;
		if (present == null) {
			present = new CompletableFuture<>();
			this.outcome = present;
		}
		return present;
	}

	/**
	 * Run an action when the hold is over, or now if it already is.
	 */
	void whenOver(Runnable action) {
		synchronized (this) {
			if (!this.over) {
				this.action = action;
				return;
			}
		}
		action.run();
	}

	/**
	 * Record that the hold is over. A repeated call has no effect.
	 */
	void over() {
		Runnable action;
		synchronized (this) {
			this.over = true;
			action = this.action;
			this.action = null;
		}
		if (action != null) {
			action.run();
		}
	}

}
