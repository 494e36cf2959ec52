package io.github.redislock;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.apache.commons.logging.Log;

/**
 * Reads what went wrong out of a future.
 */
final class Failures {

	private Failures() {
	}

	/**
	 * Log what must not end the machine that met it, not even if logging fails.
	 */
	static void report(Log logger, String message, Throwable failure) {
		try {
			logger.error(message, failure);
		}
		catch (Throwable ex) {
			// Nobody is left to be told. To suppress it would fail: the JVM throws one
			// OutOfMemoryError again and again, and none can suppress itself.
		}
	}

	/**
	 * Return the failure without the wrapping of futures.
	 */
	static Throwable unwrap(Throwable failure) {
		Throwable cause = failure.getCause();
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		return (wrapped && cause != null) ? unwrap(cause) : failure;
	}

	/**
	 * Return what a store said is wrong with a lock; everything else is the failure of
	 * the store.
	 */
	static LockException of(LockTarget target, Throwable failure) {
		return (unwrap(failure) instanceof LockKeyConflictException conflict) ? conflict : ofStore(target, failure);
	}

	/**
	 * Return the failure of a store; one that keeps no contract counts as an outage with
	 * unknown outcome.
	 */
	static LockStoreException ofStore(LockTarget target, Throwable failure) {
		Throwable cause = unwrap(failure);
		return (cause instanceof LockStoreException store) ? store : new LockStoreException(target.name(),
				"Lock '%s': the store failed: %s".formatted(target, cause), cause, false, true);
	}

}
