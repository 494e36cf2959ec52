package io.github.redislock;

/**
 * Thrown when a wait for the lock ended because the thread was interrupted. The interrupt
 * flag stays set, and the caller does not hold the lock. If the lock was granted at the
 * same time, it is released; if the store does not reply to the release, the lock expires
 * when its lease and the grace period are over.
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
