package io.github.redislock;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * Reported when a wait for the lock ended because the caller's future was cancelled or
 * timed out, or its subscription ended. Only listeners and the log get this exception;
 * the caller gets the exception of its future, such as a
 * {@link java.util.concurrent.CancellationException}.
 * <p>
 * No thread was interrupted. If the lock is granted after the wait has ended, it is
 * released in the background.
 *
 * @see LockInterruptedException
 */
public class LockCancelledException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a wait that its caller has ended.
	 * @param target the lock
	 * @param waited how long the caller has waited
	 */
	public LockCancelledException(LockTarget target, Duration waited) {
		super(target, "Lock '%s' not acquired: the caller's future was cancelled or timed out after %s"
			.formatted(target.name(), Durations.describe(waited)), null);
	}

}
