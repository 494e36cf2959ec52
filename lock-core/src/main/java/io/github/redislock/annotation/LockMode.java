package io.github.redislock.annotation;

import io.github.redislock.LockTarget;

/**
 * Whether a method shares its lock with others that only read.
 *
 * @see DistributedLock#mode()
 */
public enum LockMode {

	/**
	 * Have the lock alone.
	 */
	WRITE,

	/**
	 * Share the lock with all others that read, while no caller writes.
	 * @see LockTarget#forReading()
	 */
	READ

}
