package io.github.redislock.internal.engine;

import java.time.Duration;

import io.github.redislock.LockState;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;

/**
 * Determines how long a waiting request pauses before it is sent again. Not thread-safe.
 */
final class RequestPauses {

	/**
	 * The longest pause of a notified request. By default, the store keeps a claim this
	 * long.
	 */
	private static final Duration LONGEST_HEARTBEAT = Duration.ofSeconds(1);

	private static final Duration SHORTEST_HEARTBEAT = Duration.ofMillis(800);

	/**
	 * A queued request that is not notified has to poll often enough to notice a claim
	 * before it ends.
	 */
	private static final Duration LONGEST_PAUSE_QUEUED = Duration.ofMillis(250);

	/**
	 * The longest pause while the holder has no fencing token, unless the configured
	 * pause is longer.
	 */
	private static final Duration LONGEST_PAUSE_FOREIGN = Duration.ofMillis(100);

	/**
	 * The longest pause without a place in a queue, unless the configured pause is
	 * longer.
	 */
	private static final Duration LONGEST_PAUSE_UNQUEUED = Duration.ofSeconds(1);

	private static final Duration AFTER_END_OF_LEASE = Duration.ofMillis(1);

	private final Jitter jitter;

	/** The configured pause, from which polling starts. */
	private final Duration retryDelay;

	private int polls;

	RequestPauses(Jitter jitter, Duration retryDelay) {
		this.jitter = jitter;
		this.retryDelay = retryDelay;
	}

	/**
	 * Begin with short pauses again.
	 */
	void reset() {
		this.polls = 0;
	}

	/**
	 * Return the pause after another owner was found to hold the lock. It ends at the
	 * latest 1 ms after the store would free the lock.
	 * @param took how long the reply took. The pause before a poll grows with it, up to 1
	 * s, to relieve a store that is slow under load
	 */
	Duration afterRefusal(AcquireReply.Held refusal, Duration took) {
		LockState holder = refusal.holder();
		Duration usual = refusal.notified() ? this.jitter.between(SHORTEST_HEARTBEAT, LONGEST_HEARTBEAT)
				: Durations.max(Durations.min(took, LONGEST_HEARTBEAT), poll(refusal.queued(), holder));
		return holder.neverExpires() ? usual : Durations.min(holder.freeIn().plus(AFTER_END_OF_LEASE), usual);
	}

	/**
	 * Return the pause before the next poll, which doubles each time up to a limit.
	 */
	private Duration poll(boolean queued, LockState holder) {
		Duration longest = LONGEST_PAUSE_QUEUED;
		if (!queued) {
			longest = Durations.max(this.retryDelay, LONGEST_PAUSE_UNQUEUED);
		}
		else if (holder.fencingToken() == null) {
			longest = Durations.max(this.retryDelay, LONGEST_PAUSE_FOREIGN);
		}
		Duration doubled = this.retryDelay.multipliedBy(1L << Math.min(this.polls, 20));
		this.polls++;
		return this.jitter.around(Durations.min(doubled, longest));
	}

	/**
	 * Return the pause after a failure. It is limited for a queued request, because a
	 * request that is not repeated for seconds loses its place in the queue.
	 */
	Duration afterFailure(boolean queued) {
		return this.jitter.around(queued ? Durations.min(this.retryDelay, LONGEST_HEARTBEAT) : this.retryDelay);
	}

}
