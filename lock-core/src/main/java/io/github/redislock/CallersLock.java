package io.github.redislock;

import java.lang.ref.Reference;
import java.util.List;

/**
 * A caller's lock, as {@link ThreadLocks} tracks it. Internal.
 */
public interface CallersLock extends HeldLock {

	/**
	 * Return the only reference by which the lock may be remembered.
	 * @return always the same one
	 */
	Reference<? extends CallersLock> reference();

	/**
	 * Return what happens to the caller's work when the lock is lost.
	 * @return as the caller's options say
	 */
	OnLost onLost();

	/**
	 * Return the names that are locked. Not a use by the current thread.
	 * @return one for each lock
	 */
	List<String> names();

	/**
	 * Return whether the caller has what the target names, alone or shared.
	 * @param target the wanted lock
	 * @return whether this lock is enough for it
	 */
	boolean covers(LockTarget target);

	/**
	 * Return whether the lock was lost, and not released. Blocks for a request to the
	 * store if that is the only way to know.
	 * @return whether it is lost
	 */
	boolean isLost();

	/**
	 * Return the exception for the holder of a lock that was lost.
	 * @return a new exception
	 */
	LockLostException lost();

	/**
	 * Return whether the lock was released and is not kept for a transaction.
	 * @return whether it is over
	 */
	boolean isOver();

}
