package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the arguments of a call do not yield a lock name, because the expression
 * failed or its result is not a valid name. The method did not run.
 * <p>
 * This is not a {@link LockException}, because the call or the expression is wrong
 * regardless of the lock's state.
 */
public class InvalidLockNameException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a call that does not yield a lock name.
	 * @param message names the method, the expression, and the problem
	 * @param cause the underlying failure, or {@code null} if there is none
	 */
	public InvalidLockNameException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
