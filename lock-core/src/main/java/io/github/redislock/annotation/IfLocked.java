package io.github.redislock.annotation;

import io.github.redislock.LockNotAcquiredException;

/**
 * What a call does when somebody else holds its lock.
 *
 * @see DistributedLock#ifLocked()
 */
public enum IfLocked {

	/**
	 * Throw {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Leave the call out: it answers an empty {@code Optional}, collection, map, stream
	 * or array if that is what the method answers, and {@code null} otherwise. Not for
	 * methods that answer a primitive. It does not wait, unless the annotation itself
	 * says for how long ({@link DistributedLock#waitTime},
	 * {@link DistributedLock#retry}).
	 */
	SKIP

}
