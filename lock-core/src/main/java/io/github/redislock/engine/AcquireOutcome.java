package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an acquisition.
 *
 * @param <H> the type of the caller's handle
 */
sealed interface AcquireOutcome<H> {

	/**
	 * The lock was acquired.
	 */
	record Acquired<H>(H lock) implements AcquireOutcome<H> {
	}

	/**
	 * Another owner held the lock for the whole waiting time.
	 *
	 * @param waited how long the caller waited
	 * @param waitTime how long the caller was willing to wait
	 * @param holder the current holder, if known
	 * @param deadlock the deadlock that the wait was part of, if one was found
	 */
	record Refused<H>(Duration waited, Duration waitTime, @Nullable LockState holder,
			@Nullable String deadlock) implements AcquireOutcome<H> {
	}

	/**
	 * The store failed, or the wait was ended early.
	 */
	record Failed<H>(LockException failure) implements AcquireOutcome<H> {
	}

}
