package io.github.redislock.store;

import java.util.Objects;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.support.Futures;
import org.apache.commons.logging.Log;

/**
 * Reads failures from futures.
 */
public final class Failures {

	private Failures() {
	}

	/**
	 * Log a failure that must not end the current thread, even if logging fails.
	 */
	public static void report(Log logger, String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// No caller is left to notify. Suppressing it would fail: the JVM throws the
			// same OutOfMemoryError again,
			// which cannot suppress itself.
		}
	}

	/**
	 * Return the store's exception about a lock; everything else is a failure of the
	 * store.
	 */
	public static LockException of(LockTarget target, Throwable failure) {
		return (Futures.unwrap(failure) instanceof LockKeyConflictException conflict) ? conflict
				: ofStore(target, failure);
	}

	/**
	 * Return the same failure for another caller, with the stack trace of the current
	 * thread.
	 */
	public static LockException copy(LockException failure) {
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
	 * Return the same failure for another caller, with the stack trace of the current
	 * thread.
	 */
	public static LockStoreException copy(LockStoreException outage) {
		return copy(outage, outage.isOutcomeUnknown());
	}

	/**
	 * Return the failure for a caller that leaves while another request is open.
	 */
	public static LockStoreException withUnknownOutcome(LockStoreException outage) {
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
	 * Return the failure of a store; an exception that breaks the contract counts as an
	 * outage with unknown outcome.
	 */
	public static LockStoreException ofStore(LockTarget target, Throwable failure) {
		Throwable cause = Futures.unwrap(failure);
		return (cause instanceof LockStoreException store) ? store : new LockStoreException(target,
				"Lock '%s': the store failed: %s".formatted(target, cause), cause, false, true);
	}

}
