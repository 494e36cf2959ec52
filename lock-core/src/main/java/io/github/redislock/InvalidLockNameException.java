package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call do not yield a lock name: the expression failed, or returned
 * nothing that can name a lock. The method did not run.
 * <p>
 * A mistake in the call or in the expression, not a state of the lock: it is no
 * {@link LockException}.
 */
public class InvalidLockNameException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a call that names no lock.
	 * @param message which method, which expression, what is wrong
	 * @param cause the failure of the expression, if it failed
	 */
	public InvalidLockNameException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
