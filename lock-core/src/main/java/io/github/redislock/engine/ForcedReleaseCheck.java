package io.github.redislock.engine;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Checks with the store whether a tenure's lock is still ours after a message about a
 * forced release. The message may be older than the tenure. Thread-safe.
 */
final class ForcedReleaseCheck {

	private final WatchedTimer timer;

	private final Tenure tenure;

	private volatile @Nullable Instant reportedAt;

	ForcedReleaseCheck(WatchedTimer timer, Tenure tenure) {
		this.timer = timer;
		this.tenure = tenure;
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
		Hold hold = this.tenure.hold();
		if (hold == null) {
			return;
		}
		hold.lease().verify().whenComplete((ours, failure) -> {
			if (!reportedAt.equals(this.reportedAt)) {
				// A later message has started its own check.
				return;
			}
			if (failure != null) {
				this.timer.schedule(() -> ask(reportedAt), this.tenure.lease().pause());
			}
			else if (ours) {
				// The message was older than this tenure.
				this.reportedAt = null;
			}
		});
	}

}
