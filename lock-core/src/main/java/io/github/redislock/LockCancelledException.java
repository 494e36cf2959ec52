package io.github.redislock;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * Reported when a wait for the lock ended because the caller's future was cancelled or
 * completed, for example by a timeout, or its subscription was cancelled. Only listeners
 * and the log get this exception; the caller gets the result of its future, such as a
 * {@link java.util.concurrent.CancellationException}.
 * <p>
 * No thread was interrupted. If the lock is granted after the wait has ended, it goes to
 * another caller or is released.
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
		super(target, "Lock '%s' not acquired: the caller's future or subscription ended after %s"
			.formatted(target.name(), Durations.describe(waited)), null);
	}

}
