package io.github.redislock;

/**
 * The wait for a lock was called off: the thread was interrupted, or the template closed.
 * <p>
 * The lock is not left behind. After an interrupt, the thread's interrupt flag is set.
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that was called off.
	 * @param target the lock
	 * @param reason who called it off
	 */
	public LockInterruptedException(LockTarget target, String reason) {
		super(target, "Lock '%s' not acquired: %s".formatted(target.name(), reason), null);
	}

}
