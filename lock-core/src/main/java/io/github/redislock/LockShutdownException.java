package io.github.redislock;

/**
 * This instance is shutting down, or its template was closed: no more locks are granted.
 * End the work; another instance will do it.
 * <p>
 * The lock is not left behind, if the store replies. The thread was not interrupted.
 *
 * @see LockInterruptedException
 */
public class LockShutdownException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that the shutdown has ended.
	 * @param target the lock
	 */
	public LockShutdownException(LockTarget target) {
		super(target, "Lock '%s' not acquired: this instance is shutting down".formatted(target.name()), null);
	}

}
