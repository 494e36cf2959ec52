package io.github.redislock;

/**
 * The wait for the lock has ended because the thread was interrupted. The interrupt flag
 * stays set, and no lock is left behind. A lock that was granted without the caller's
 * knowledge is released in the background. If the store does not reply, it frees itself
 * when its lease is over.
 *
 * @see LockCancelledException
 * @see LockShutdownException
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that was ended early.
	 * @param target the lock
	 * @param reason what ended it
	 */
	public LockInterruptedException(LockTarget target, String reason) {
		super(target, "Lock '%s' not acquired: %s".formatted(target.name(), reason), null);
	}

}
