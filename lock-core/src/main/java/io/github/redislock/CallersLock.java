package io.github.redislock;

import java.lang.ref.Reference;

/**
 * What a caller was given of a lock, as {@link ThreadLocks} knows it. Users of locks do
 * not call it.
 */
public interface CallersLock extends HeldLock {

	/**
	 * Return the only reference by which it may be remembered.
	 * @return the same each time
	 */
	Reference<? extends CallersLock> reference();

	/**
	 * Return what becomes of the caller's work when the lock is lost.
	 * @return as the caller's options say
	 */
	OnLost onLost();

	/**
	 * Return whether the caller has what the target names, alone or shared.
	 * @param target what somebody wants to have
	 * @return whether this lock is enough for it
	 */
	boolean covers(LockTarget target);

	/**
	 * Return whether the lock was lost, and not let go. Asks the store, and waits for the
	 * answer, if nothing else can tell.
	 * @return whether it is lost
	 */
	boolean isLost();

	/**
	 * Return what to tell the holder of a lock that was lost.
	 * @return a new exception
	 */
	LockLostException lost();

	/**
	 * Return whether the lock was let go, and nothing keeps it.
	 * @return whether it is over
	 */
	boolean isOver();

}
