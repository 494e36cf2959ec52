package io.github.redislock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How an acquisition ended.
 */
sealed interface AcquireOutcome {

	/**
	 * The lock is ours.
	 */
	record Acquired(HoldHandle lock) implements AcquireOutcome {
	}

	/**
	 * Somebody else held the lock for the whole waiting time.
	 */
	record Refused(Duration waited, @Nullable LockState holder) implements AcquireOutcome {
	}

	/**
	 * The store did not answer, or the wait was called off.
	 */
	record Failed(LockException failure) implements AcquireOutcome {
	}

}
