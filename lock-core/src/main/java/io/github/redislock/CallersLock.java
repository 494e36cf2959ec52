package io.github.redislock;

import java.lang.ref.Reference;
import java.time.Duration;

/**
 * A caller's lock, as {@link ThreadLocks} tracks it. Internal.
 */
public abstract class CallersLock implements HeldLock {

	private final OnLost onLost;

	/**
	 * Create a lock for a caller.
	 * @param onLost what happens to the caller's work when the lock is lost
	 */
	protected CallersLock(OnLost onLost) {
		this.onLost = onLost;
	}

	/**
	 * Return the lock without using it: what {@link ThreadLocks} reads must not look like
	 * a use by the current thread.
	 * @return what knows the lock
	 */
	protected abstract HeldLock entry();

	/**
	 * Return the lock for use by the current thread.
	 * @return what knows the lock
	 */
	protected HeldLock used() {
		return entry();
	}

	/**
	 * Return the only reference by which the lock may be remembered.
	 * @return always the same one
	 */
	public abstract Reference<? extends CallersLock> reference();

	/**
	 * Return what happens to the caller's work when the lock is lost.
	 * @return as the caller's options say
	 */
	public final OnLost onLost() {
		return this.onLost;
	}

	/**
	 * Return whether the caller has what the target names, alone or shared.
	 * @param target the wanted lock
	 * @return whether this lock is enough for it
	 */
	public abstract boolean covers(LockTarget target);

	/**
	 * Return whether the lock was lost, and not released. Blocks for a request to the
	 * store if that is the only way to know.
	 * @return whether it is lost
	 */
	public abstract boolean isLost();

	/**
	 * Return the exception for the holder of a lock that was lost.
	 * @return a new exception
	 */
	public abstract LockLostException lost();

	/**
	 * Return whether the lock was released and is not kept for a transaction.
	 * @return whether it is over
	 */
	public abstract boolean isOver();

	@Override
	public String name() {
		return used().name();
	}

	@Override
	public LockTarget target() {
		return used().target();
	}

	@Override
	public String owner() {
		return used().owner();
	}

	@Override
	public long fencingToken() {
		return used().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return used().isHeld();
	}

	@Override
	public Duration remaining() {
		return used().remaining();
	}

	@Override
	public void onLost(Runnable action) {
		used().onLost(action);
	}

	@Override
	public String toString() {
		return used().toString();
	}

}
