package io.github.redislock.engine;

import java.util.function.BooleanSupplier;

/**
 * Follows a tenure: the local queue to whose callers it gives the lock.
 */
interface TenureListener {

	/**
	 * Run a step in the executor in which holds begin and end.
	 */
	void run(Runnable step);

	/**
	 * Pass the lock on after its current hold, or release it in the store.
	 */
	void release(Tenure tenure);

	/**
	 * Handle the loss of the lock.
	 */
	void lost(Tenure tenure);

	/**
	 * Handle the holder's request to share the lock.
	 * @param shares makes the change before the next caller requests the lock. Returns
	 * {@code false} if the lock was released or lost in the meantime
	 */
	void shared(Tenure tenure, BooleanSupplier shares);

}
