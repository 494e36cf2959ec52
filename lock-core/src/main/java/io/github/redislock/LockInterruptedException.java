package io.github.redislock;

/**
 * Thrown when the thread was interrupted before or while it waited for the lock. The
 * interrupt flag stays set, and the caller does not hold the lock. If the lock was
 * granted at the same time, it is released.
 *
 * @see LockCancelledException
 * @see LockShutdownException
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that an interrupt has ended.
	 * @param target the lock
	 */
	public LockInterruptedException(LockTarget target) {
		super(target, "Lock '%s' not acquired: the thread was interrupted".formatted(target.name()), null);
	}

}
