package io.github.redislock;

/**
 * Who may hold a lock at the same time.
 *
 * @see LockTarget#mode()
 */
public enum LockMode {

	/**
	 * One holder alone, also a writer among readers.
	 */
	EXCLUSIVE,

	/**
	 * Any number of readers, while no caller holds the lock in another mode.
	 * @see LockTarget#forReading()
	 */
	READ,

	/**
	 * As many holders as there are permits.
	 * @see LockTarget#permits(int)
	 */
	PERMIT

}
