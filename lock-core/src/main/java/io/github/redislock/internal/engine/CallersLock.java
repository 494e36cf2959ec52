package io.github.redislock.internal.engine;

import java.lang.ref.Reference;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;

/**
 * A caller's lock, as {@link ThreadLocks} tracks it.
 */
public interface CallersLock extends HeldLock {

	/**
	 * Return the reference through which {@link ThreadLocks} tracks the lock.
	 * @return the same reference each time
	 */
	Reference<? extends CallersLock> reference();

	/**
	 * Return what happens to the caller's work when the lock is lost.
	 * @return the value from the caller's options
	 */
	OnLost onLost();

	/**
	 * Return what the lock's fence must admit in the current thread's transaction. If
	 * there is anything, the lock then counts as fenced.
	 * @return one row for each lock; none without a fence, or without a transaction in
	 * which it can admit them
	 */
	Stream<FenceRow> fenceRows();

	/**
	 * Return the names of the locks. Unlike {@link #target()}, this method does not
	 * record that the current thread uses the lock.
	 * @return one name for each lock
	 */
	List<String> names();

	/**
	 * Return whether holding this lock is enough for the target, in the target's mode.
	 * @param target the wanted lock
	 * @return whether the caller needs no other lock
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
	 * @return whether the lock need not be tracked any more
	 */
	boolean isOver();

}
