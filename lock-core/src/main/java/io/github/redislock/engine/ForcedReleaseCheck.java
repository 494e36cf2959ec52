package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Checks with the store whether a tenure's lock is still ours after a message about a
 * forced release. The message may be older than the tenure. Thread-safe.
 */
final class ForcedReleaseCheck {

	private final WatchedTimer timer;

	private final Supplier<@Nullable CompletionStage<Boolean>> verify;

	private final Supplier<Duration> pause;

	private volatile @Nullable Instant reportedAt;

	/**
	 * Create a check that begins with the first message.
	 * @param verify asks the store whether the lock is ours; returns {@code null} if no
	 * hold has begun
	 * @param pause returns the pause after a failure
	 */
	ForcedReleaseCheck(WatchedTimer timer, Supplier<@Nullable CompletionStage<Boolean>> verify,
			Supplier<Duration> pause) {
		this.timer = timer;
		this.verify = verify;
		this.pause = pause;
	}

	/**
	 * Return when the last message about a forced release came, or {@code null} if none
	 * came or the lock was still ours afterwards.
	 */
	@Nullable Instant reportedAt() {
		return this.reportedAt;
	}

	/**
	 * Begin the check after a message. It is repeated until the store replies, because
	 * the message is sent only once.
	 */
	void begin() {
		Instant now = this.timer.now();
		this.reportedAt = now;
		ask(now);
	}

	private void ask(Instant reportedAt) {
		CompletionStage<Boolean> verified = this.verify.get();
		if (verified == null) {
			return;
		}
		verified.whenComplete((ours, failure) -> {
			if (!reportedAt.equals(this.reportedAt)) {
				// A later message has started its own check.
				return;
			}
			if (failure != null) {
				this.timer.schedule(() -> ask(reportedAt), this.pause.get());
			}
			else if (ours) {
				// The message was older than this tenure.
				this.reportedAt = null;
			}
		});
	}

}
