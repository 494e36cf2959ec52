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
	 * @param keptFor how much longer the lock is kept for its minimum hold, if known
	 * @param deadlock the deadlock that the wait was part of, if one was found
	 * @param full the failure if too many callers wait, otherwise {@code null}
	 */
	record Refused<H>(Duration waited, Duration waitTime, @Nullable LockState holder, @Nullable Duration keptFor,
			@Nullable String deadlock, @Nullable LockNotAcquiredException full) implements AcquireOutcome<H> {

		/**
		 * Return the failure for the caller.
		 * @param own a lock of the caller itself that prevents the acquisition, if any
		 */
		LockNotAcquiredException failure(LockTarget target, @Nullable LockTarget own) {
			return (this.full != null) ? this.full : new LockNotAcquiredException(target, this.waited, this.waitTime,
					this.holder, this.keptFor, own, this.deadlock);
		}

	}

	/**
	 * The store failed, or the wait was ended early.
	 */
	record Failed<H>(LockException failure) implements AcquireOutcome<H> {
	}

}
