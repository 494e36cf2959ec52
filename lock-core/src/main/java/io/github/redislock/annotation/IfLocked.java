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
	 * array if that is what the method returns, and {@code null} otherwise. Not for
	 * methods that return a primitive. It does not wait, unless the annotation itself
	 * says for how long ({@link DistributedLock#waitTime},
	 * {@link DistributedLock#retry}).
	 */
	SKIP

}
