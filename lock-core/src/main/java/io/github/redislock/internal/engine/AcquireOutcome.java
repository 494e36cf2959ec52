package io.github.redislock.internal.engine;

import java.time.Duration;

import io.github.redislock.LockException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an acquisition.
 *
 * @param <H> the type of the caller's handle
 */
sealed interface AcquireOutcome<H> {

	record Acquired<H>(H lock) implements AcquireOutcome<H> {
	}

	/**
	 * The lock was not granted within the waiting time, or too many callers wait.
	 *
	 * @param waited how long the caller waited
	 * @param waitTime how long the caller was willing to wait
	 * @param holder the current holder, if known
	 * @param retryAfter the estimated time until another attempt makes sense, if known
	 * @param deadlock the deadlock that the wait was part of, if one was found
	 * @param waitingCallers how many callers wait if they are too many, otherwise 0
	 */
	record Refused<H>(Duration waited, Duration waitTime, @Nullable LockState holder, @Nullable Duration retryAfter,
			@Nullable String deadlock, int waitingCallers) implements AcquireOutcome<H> {

		/**
		 * Return the failure for the caller.
		 * @param own a lock of the caller itself that prevents the acquisition, if any
		 */
		LockNotAcquiredException failure(LockTarget target, @Nullable LockTarget own) {
			return (this.waitingCallers > 0)
					? new LockNotAcquiredException(target, this.waited, this.waitingCallers, this.holder,
							this.retryAfter)
					: new LockNotAcquiredException(target, this.waited, this.waitTime, this.holder, this.retryAfter,
							own, this.deadlock);
		}

	}

	/**
	 * The store failed, or the wait was ended early.
	 */
	record Failed<H>(LockException failure) implements AcquireOutcome<H> {
	}

}
