package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a key of the lock is used for something else, for example by another
 * program.
 * <p>
 * Waiting does not help, so callers fail at once. Nothing is overwritten or deleted.
 * Choose another name or key prefix for the locks, or another key for the other program.
 */
public class LockKeyConflictException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	/**
	 * Create an exception for a key that cannot be used.
	 * @param target the lock
	 * @param key the key in the store
	 * @param message names the lock, the key, the problem, and what to do
	 * @param cause the store's own error
	 */
	public LockKeyConflictException(LockTarget target, String key, String message, @Nullable Throwable cause) {
		super(target, message, cause);
		this.key = key;
	}

	/**
	 * Return the key that cannot be used.
	 * @return the key, with the store's prefix
	 */
	public String getKey() {
		return this.key;
	}

}
