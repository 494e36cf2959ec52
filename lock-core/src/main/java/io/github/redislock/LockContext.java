package io.github.redislock;

import java.util.List;

/**
 * The lock under which the current thread's work runs.
 * <p>
 * Available inside {@link LockOperations#execute} and inside methods with a lock
 * annotation: <pre class="code">
 * &#64;DistributedLock(name = "ledger", key = "#account")
 * public void book(String account, Entry entry) {
 *     this.ledger.append(entry, LockContext.current().fencingToken());
 * }
 * </pre>
 */
public final class LockContext {

	private LockContext() {
	}

	/**
	 * Return the innermost lock under which this thread's work runs.
	 * @return its handle
	 * @throws IllegalStateException if this thread runs no locked work, as in a call that
	 * bypassed the proxy
	 */
	public static LockHandle current() {
		List<LockHandle> handles = ThreadLocks.ofWork();
		if (handles.isEmpty()) {
			throw noLock();
		}
		return handles.get(0);
	}

	/**
	 * Fail unless this thread works under at least one lock, and has lost none. Locks
	 * count that this thread took and has not released: by
	 * {@link LockOperations#execute}, by annotation or as a handle.
	 * <p>
	 * The check is local, for use between the steps of long work. It fails each time
	 * until the lost lock is released. A lost lock with {@link OnLost#IGNORE} does not
	 * fail it. Handles with {@link LockOptions#reentrant reentrant(false)} do not count,
	 * since another thread may use them by now: ask {@link LockHandle#isHeld()}. Inside
	 * {@link DistributedLocks#assumeHeld()} the check always passes.
	 * @throws IllegalStateException if this thread works under no lock, as in a call that
	 * bypassed the proxy
	 * @throws LockLostException if work is no longer protected
	 * @see DistributedLocks#assertHeld(String)
	 */
	public static void requireHeld() {
		if (DistributedLocks.isAssumed()) {
			return;
		}
		if (ThreadLocks.taken().isEmpty()) {
			throw noLock();
		}
		requireNoneLost();
	}

	/**
	 * Fail like {@link #requireHeld()} if a lock of this thread was lost, but pass if it
	 * works under none. For code that runs with and without locks, such as a guard of all
	 * transactions. A handle that was garbage collected does not count, so it cannot
	 * affect later work of a pooled thread.
	 * @throws LockLostException if work is no longer protected
	 */
	public static void requireNoneLost() {
		for (CallersLock lock : ThreadLocks.taken()) {
			if (lock.onLost() != OnLost.IGNORE && lock.isLost()) {
				throw lock.lost();
			}
		}
	}

	private static IllegalStateException noLock() {
		return new IllegalStateException("No lock is held for the work of this thread: call it through"
				+ " LockOperations.execute, or the annotated method through its Spring bean"
				+ " (not from within the same object, and not on another thread)");
	}

}
