package io.github.redislock.internal.engine;

import java.util.Objects;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Futures;
import org.apache.commons.logging.Log;

/**
 * Converts, copies and logs failures of a store.
 */
final class Failures {

	private Failures() {
	}

	/**
	 * Log a failure without throwing an exception, even if logging fails.
	 */
	static void report(Log logger, String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// Do not add this exception as suppressed: the JVM may throw the same
			// OutOfMemoryError again, which cannot suppress itself.
		}
	}

	/**
	 * Return the exception to report for a lock. Any exception that a store should not
	 * throw counts as a failure of the store.
	 */
	static LockException of(LockTarget target, Throwable failure) {
		return (Futures.unwrap(failure) instanceof LockKeyConflictException conflict) ? conflict
				: ofStore(target, failure);
	}

	/**
	 * Return a copy of the failure for another caller, with the stack trace of the
	 * current thread. Only failures of the store and conflicts of keys are copied; others
	 * are returned as they are.
	 */
	static LockException copy(LockException failure) {
		if (failure instanceof LockStoreException outage) {
			return copy(outage);
		}
		if (failure instanceof LockKeyConflictException conflict) {
			return new LockKeyConflictException(conflict.getTarget(), conflict.getKey(), message(conflict),
					conflict.getCause());
		}
		return failure;
	}

	/**
	 * Return a copy of the failure for another caller, with the stack trace of the
	 * current thread.
	 */
	static LockStoreException copy(LockStoreException outage) {
		return copy(outage, outage.isOutcomeUnknown());
	}

	/**
	 * Return a copy of the failure for a caller that stops waiting while another request
	 * is pending, so that the outcome is unknown.
	 */
	static LockStoreException withUnknownOutcome(LockStoreException outage) {
		return copy(outage, true);
	}

	private static LockStoreException copy(LockStoreException outage, boolean unknown) {
		return new LockStoreException(outage.getTarget(), message(outage), outage.getCause(), outage.isRetryable(),
				unknown);
	}

	private static String message(LockException failure) {
		return Objects.requireNonNullElse(failure.getMessage(), "");
	}

	/**
	 * Return a failure as a {@link LockStoreException}. Any other exception counts as a
	 * failure with unknown outcome.
	 */
	static LockStoreException ofStore(LockTarget target, Throwable failure) {
		Throwable cause = Futures.unwrap(failure);
		return (cause instanceof LockStoreException store) ? store : new LockStoreException(target,
				"Lock '%s': the store failed: %s".formatted(target, cause), cause, false, true);
	}

}
