package io.github.redislock;

import java.lang.ref.Reference;
import java.util.List;

/**
 * A caller's lock, as {@link ThreadLocks} tracks it. Internal.
 */
public interface CallersLock extends HeldLock {

	/**
	 * Return the reference through which {@link ThreadLocks} keeps the lock.
	 * @return the same reference each time
	 */
	Reference<? extends CallersLock> reference();

	/**
	 * Return what happens to the caller's work when the lock is lost.
	 * @return the value from the caller's options
	 */
	OnLost onLost();

	/**
	 * Return the names that are locked. This does not count as a use by the current
	 * thread.
	 * @return one name for each lock
	 */
	List<String> names();

	/**
	 * Return whether this lock includes the target, exclusive or shared.
	 * @param target the wanted lock
	 * @return whether holding this lock is enough
	 */
	boolean covers(LockTarget target);

	/**
	 * Return whether the lock was lost and has not been released. Blocks for a request to
	 * the store if there is no other way to find out.
	 * @return whether it is lost
	 */
	boolean isLost();

	/**
	 * Return the exception that reports the loss to the holder.
	 * @return a new exception
	 */
	LockLostException lost();

	/**
	 * Return whether the lock was released and is not kept for a transaction.
	 * @return whether it is over
	 */
	boolean isOver();

}
