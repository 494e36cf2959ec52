package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * What the store keeps under the lock's key is not a lock: another program uses that key.
 * <p>
 * Waiting does not help, so nobody waits; and nothing is overwritten or deleted, since it
 * is somebody else's. Somebody has to choose: another name or key prefix for the locks,
 * or another key for the other program.
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
