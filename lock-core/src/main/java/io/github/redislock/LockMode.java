package io.github.redislock;

/**
 * Which calls of annotated methods may hold a lock at the same time.
 *
 * @see io.github.redislock.annotation.DistributedLock#mode()
 */
public enum LockMode {

	/**
	 * One call, such as a writer that excludes readers, or as many as there are permits.
	 * @see io.github.redislock.annotation.DistributedLock#permits()
	 */
	EXCLUSIVE,

	/**
	 * Any number of readers, while no caller holds the lock exclusively.
	 * @see LockTarget#forReading()
	 */
	READ

}
