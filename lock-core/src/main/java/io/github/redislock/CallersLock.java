package io.github.redislock;

/**
 * What a caller was given of his entry into a hold.
 */
interface CallersLock {

	/**
	 * Return the entry.
	 */
	HoldHandle entry();

	/**
	 * Return whether the lock was lost, and not let go.
	 */
	boolean isLost();

	/**
	 * Return whether the lock was let go, and nothing keeps it.
	 */
	boolean isOver();

	/**
	 * Return whether the lock was taken for work that lets go of it by itself.
	 */
	boolean isOfWork();

}
