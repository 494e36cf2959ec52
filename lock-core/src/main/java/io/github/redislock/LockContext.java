package io.github.redislock;

import java.util.List;

/**
 * The lock under which the present thread's work runs.
 * <p>
 * Known inside {@link LockOperations#execute} and inside methods with a lock annotation:
 * <pre class="code">
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
	 * went past the proxy
	 */
	public static LockHandle current() {
		List<LockHandle> handles = ThreadLocks.ofWork();
		if (handles.isEmpty()) {
			throw new IllegalStateException("No lock is held for the work of this thread: call it through"
					+ " LockOperations.execute, or the annotated method through its Spring bean"
					+ " (not from within the same object, and not on another thread)");
		}
		return handles.get(0);
	}

	/**
	 * Fail if a lock was lost under which this thread works: one that it took and that
	 * was not let go since, whether by {@link LockOperations#execute}, by annotation or
	 * as a handle.
	 * <p>
	 * Local and free: for long work between two of its steps. Locks with
	 * {@link OnLost#IGNORE} do not count, nor do handles with
	 * {@link LockOptions#reentrant reentrant(false)}, which may be another thread's by
	 * now. Without any lock it does nothing.
	 * @throws LockLostException if work is not protected any more
	 */
	public static void requireHeld() {
		for (CallersLock lock : ThreadLocks.taken()) {
			if (lock.onLost() != OnLost.IGNORE && lock.isLost()) {
				if (!lock.isOfWork()) {
					// It may have been forgotten, and whatever the thread does later is
					// not
					// its concern.
					ThreadLocks.remove(lock.reference());
				}
				throw lock.lost();
			}
		}
	}

}
