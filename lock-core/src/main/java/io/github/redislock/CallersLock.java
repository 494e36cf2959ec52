package io.github.redislock;

import java.lang.ref.Reference;

/**
 * What a caller was given of his entry into a hold.
 */
interface CallersLock extends HeldLock {

	/**
	 * Return the entry.
	 */
	HoldHandle entry();

	/**
	 * Return the only reference by which it may be remembered.
	 */
	Reference<? extends CallersLock> reference();

	/**
	 * Return what becomes of the caller's work when the lock is lost.
	 */
	OnLost onLost();

	/**
	 * Return whether the lock was lost, and not let go. Asks the store, and waits for the
	 * answer, if nothing else can tell.
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
