package io.github.redislock;

/**
 * The caller does not wait for the lock any more: its thread was interrupted. The
 * interrupt flag stays set, and the lock is not left behind.
 * <p>
 * Listeners are also told so where a future was cancelled, whose caller sees a
 * {@link java.util.concurrent.CancellationException}.
 *
 * @see LockShutdownException
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
