package io.github.redislock;

/**
 * Thrown when this instance is shutting down or its template was closed, so no more locks
 * are granted. End the work, and leave it to another instance.
 * <p>
 * The lock is released if it was granted. The thread was not interrupted.
 *
 * @see LockInterruptedException
 */
public class LockShutdownException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that was ended by the shutdown.
	 * @param target the lock
	 */
	public LockShutdownException(LockTarget target) {
		super(target, "Lock '%s' not acquired: this instance is shutting down".formatted(target.name()), null);
	}

}
