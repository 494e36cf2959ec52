package io.github.redislock;

/**
 * Where a lock came from when a caller acquired it.
 *
 * @see LockListener#acquired(HeldLock, java.time.Duration, HandOverKind)
 */
public enum HandOverKind {

	/**
	 * Directly from another caller of this process that held it before, within the same
	 * turn of the process.
	 */
	LOCAL,

	/**
	 * From the previous holder through the store's queue, usually from another process.
	 */
	REMOTE,

	/**
	 * From no other caller: the lock was free when this process asked for it, or its
	 * lease had run out. In a store without a queue, such as a quorum, even if another
	 * process held it before.
	 */
	NONE

}
