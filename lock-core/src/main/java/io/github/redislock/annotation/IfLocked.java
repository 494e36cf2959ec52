package io.github.redislock.annotation;

import io.github.redislock.LockNotAcquiredException;

/**
 * What a call does when another holder has its lock.
 *
 * @see DistributedLock#ifLocked()
 */
public enum IfLocked {

	/**
	 * Throw {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Skip the call: it returns an empty {@code Optional}, collection, map, stream or
	 * array if that is what the method returns, and {@code null} otherwise. Cannot be
	 * used for methods that return a primitive. The call does not wait, unless the
	 * annotation itself sets {@link DistributedLock#waitTime} or
	 * {@link DistributedLock#retry}.
	 */
	SKIP

}
