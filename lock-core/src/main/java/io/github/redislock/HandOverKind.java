package io.github.redislock;

/**
 * Where a lock came from when a caller acquired it.
 *
 * @see LockListener#acquired(LockHandle, java.time.Duration, HandOverKind)
 */
public enum HandOverKind {

	/**
	 * From the caller of this process that had it before, whose turn went on to the next
	 * one.
	 */
	LOCAL,

	/**
	 * From whoever let it go, through the store, which had kept a place in its queue: as
	 * a rule from another process.
	 */
	REMOTE,

	/**
	 * From nobody: it was free when this process asked for it, or freed itself. In a
	 * store without a queue, such as a quorum, also when another process had it.
	 */
	NONE

}
