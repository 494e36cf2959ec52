package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * The value under the lock's key is not a lock: another program uses that key.
 * <p>
 * Waiting does not help, so no caller waits. Nothing is overwritten or deleted, since the
 * value belongs to the other program. Choose another name or key prefix for the locks, or
 * another key for the other program.
 */
public class LockKeyConflictException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	/**
	 * Create an exception for a key that holds something else.
	 * @param target the lock
	 * @param key the key in the store
	 * @param message which lock, which key, what it holds, what now
	 * @param cause the store's own error
	 */
	public LockKeyConflictException(LockTarget target, String key, String message, @Nullable Throwable cause) {
		super(target, message, cause);
		this.key = key;
	}

	/**
	 * Return the key that holds something else.
	 * @return the key, with the store's prefix
	 */
	public String getKey() {
		return this.key;
	}

}
