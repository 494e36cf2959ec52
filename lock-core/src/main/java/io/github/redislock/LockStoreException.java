package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store did not reply or failed, so it is unknown which owner has the
 * lock.
 */
public class LockStoreException extends LockException {

	private static final long serialVersionUID = 1L;

	private final boolean retryable;

	private final boolean outcomeUnknown;

	/**
	 * Create an exception for a request that failed or got no reply.
	 * @param target the lock
	 * @param message names the lock and what happened
	 * @param cause the store's own error
	 * @param retryable whether a retry may help
	 * @param outcomeUnknown whether the store may have carried out the request
	 */
	public LockStoreException(LockTarget target, String message, @Nullable Throwable cause, boolean retryable,
			boolean outcomeUnknown) {
		super(target, message, cause);
		this.retryable = retryable;
		this.outcomeUnknown = outcomeUnknown;
	}

	/**
	 * Return whether a retry may help.
	 * @return {@code true} for a temporary outage, {@code false} if a problem has to be
	 * fixed first
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

	/**
	 * Return whether the store may have carried out the request although it did not
	 * confirm it.
	 * @return {@code false} only if the store certainly did not carry it out
	 */
	public boolean isOutcomeUnknown() {
		return this.outcomeUnknown;
	}

}
