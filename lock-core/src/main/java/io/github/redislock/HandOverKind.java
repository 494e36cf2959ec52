package io.github.redislock;

/**
 * How a caller got the lock that it acquired.
 *
 * @see LockListener#acquired(HeldLock, java.time.Duration, HandOverKind)
 */
public enum HandOverKind {

	/**
	 * From the previous holder, which was in this process.
	 */
	LOCAL,

	/**
	 * From the previous holder through the store's queue, usually from another process.
	 */
	REMOTE,

	/**
	 * Not from another caller: the lock was free when this process requested it, or its
	 * lease had expired. This value is also used if the release by the previous holder
	 * was not announced, for example because the store has no queue, as on a quorum.
	 */
	NONE

}
