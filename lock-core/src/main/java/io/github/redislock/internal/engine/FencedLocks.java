package io.github.redislock.internal.engine;

/**
 * The locks of the current thread that have a fence.
 */
public final class FencedLocks {

	private FencedLocks() {
	}

	/**
	 * Let the fences admit the holder in the transaction that has just begun.
	 */
	public static void admit() {
		FenceRow.admit(ThreadLocks.taken().stream().flatMap(CallersLock::fenceRows));
	}

}
