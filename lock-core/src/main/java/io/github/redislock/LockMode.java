package io.github.redislock;

/**
 * Which callers may hold a lock at the same time.
 *
 * @see LockTarget#mode()
 */
public enum LockMode {

	/**
	 * One holder, such as a writer that excludes readers.
	 */
	EXCLUSIVE,

	/**
	 * Any number of readers, while no caller holds the lock exclusively.
	 * @see LockTarget#forReading()
	 */
	READ,

	/**
	 * As many holders as there are permits.
	 * @see LockTarget#permits(int)
	 */
	PERMIT

}
