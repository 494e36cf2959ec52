package io.github.redislock;

import java.time.Duration;

/**
 * A handle of an acquired lock, for renewing and releasing it.
 * <p>
 * The handle may be used from any thread. Renewal ends with the release. It also ends
 * when no caller can release the lock any more: if the thread that acquired the lock has
 * ended, the handle was not detached and no other thread has used it, or if the handle
 * was garbage collected. In both cases a warning is logged, and a lock that can expire
 * does so when its lease and the grace period are over. Use the handle in a
 * {@code try}-with-resources statement: <pre class="code">
 * try (LockHandle lock = locks.acquire(LockTarget.of("report", user))) {
 *     ledger.append(entry, lock.fencingToken());
 * }
 * </pre>
 *
 * @see LockOperations#acquire(LockTarget, LockOptions)
 */
public interface LockHandle extends HeldLock, AutoCloseable {

	/**
	 * Check with the store whether this handle still holds the lock.
	 * <p>
	 * If the store says that it is not, the lock counts as lost.
	 * @return whether we are still the owner; {@code false} after the release
	 * @throws LockStoreException if the store did not reply
	 * @see #isHeld()
	 */
	boolean verify();

	/**
	 * Add time to the rest of the lease.
	 * @param additional how much to add, at least 1 ms
	 * @throws LockLostException if the lock was lost
	 * @throws LockStoreException if the store did not reply. It is then unknown whether
	 * the lease was extended, but {@link #remaining()} still returns a safe value
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void extend(Duration additional);

	/**
	 * Start the lease again, with the length that it had when the lock was acquired.
	 * @throws LockLostException if the lock was lost
	 * @throws LockStoreException if the store did not reply
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew();

	/**
	 * Replace the rest of the lease, whether the new lease is longer or shorter.
	 * <p>
	 * With automatic renewal a shorter lease lasts only until the next renewal. If the
	 * store does not reply to a request for a shorter lease, that request may still
	 * arrive later. From then on, a renewal extends {@link #remaining()} only to the
	 * shorter lease.
	 * @param lease the new lease, counted from now; at least 10 ms
	 * @throws LockLostException if the lock was lost
	 * @throws LockStoreException if the store did not reply
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew(Duration lease);

	/**
	 * Detach the handle from the thread that acquired the lock, so that another thread
	 * can use it after the first one has ended.
	 * <p>
	 * After that, renewal continues when the first thread ends, and that thread can no
	 * longer re-enter the lock. If the lock was acquired inside a transaction, its
	 * release still waits for the end of that transaction. Call this method on the thread
	 * that acquired the lock.
	 */
	void detach();

	/**
	 * Release the lock.
	 * <p>
	 * Renewal stops before the release is sent to the store. The state of the lock never
	 * causes an exception: see the returned outcome. A second release is harmless. It
	 * returns the same outcome or, if the first release was deferred and has taken place
	 * since, the final one. An interrupt does not stop the release, and the interrupt
	 * flag is not changed. If the store does not reply, the release is retried in the
	 * background until the lock has expired (for up to one day if it never expires).
	 * <p>
	 * If the template knows Spring's transactions, as a {@code RedisLockTemplate} does, a
	 * lock that was acquired inside one is released only when that transaction has ended.
	 * The same is true of a lock that was acquired before a transaction and is released
	 * inside it, on the transaction's thread. Until the transaction has ended, the lock
	 * is kept, and the outcome is {@link ReleaseOutcome#DEFERRED}. Other transactions
	 * that begin and end in between have no effect.
	 * @return what happened to the lock
	 * @see #close()
	 */
	ReleaseOutcome release();

	/**
	 * Release the lock, and fail if it was lost before the release (unless the loss is
	 * {@linkplain OnLost#IGNORE ignored}).
	 * @throws LockLostException if the lock was lost before the release
	 * @see #release()
	 */
	@Override
	void close();

}
