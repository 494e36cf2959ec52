package io.github.redislock;

import java.time.Duration;

/**
 * A lock that was acquired, with the means to keep and to release it.
 * <p>
 * It may be used from any thread. Renewal ends with the release. It also ends when no
 * caller can release the lock: if the thread that took it has ended and no other thread
 * has used the handle, or if the handle was garbage collected. Both are reported, and the
 * lock frees itself when its lease is over. Made for try-with-resources:
 * <pre class="code">
 * try (LockHandle lock = locks.acquire(LockTarget.of("report", user))) {
 *     ledger.append(entry, lock.fencingToken());
 * }
 * </pre>
 *
 * @see LockOperations#acquire(LockTarget, LockOptions)
 */
public interface LockHandle extends HeldLock, AutoCloseable {

	/**
	 * Ask the store whether the lock is still ours.
	 * <p>
	 * If it is not, the lock counts as lost.
	 * @return whether the store still knows us as the owner
	 * @throws LockStoreException if the store did not reply
	 * @see #isHeld()
	 */
	boolean verify();

	/**
	 * Add time to what remains of the lease.
	 * @param additional how much to add, at least 1 ms
	 * @throws LockLostException if the lock is no longer ours
	 * @throws LockStoreException if the store did not reply: it is not known whether the
	 * lock was extended, and {@link #remaining()} still returns the safe value
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void extend(Duration additional);

	/**
	 * Start the lease again, as long as it was when the lock was acquired.
	 * @throws LockLostException if the lock is no longer ours
	 * @throws LockStoreException if the store did not reply
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew();

	/**
	 * Replace what remains of the lease, whether that is more or less.
	 * <p>
	 * With automatic renewal a shorter lease lasts only until the next renewal. If the
	 * store does not reply to a request for a shorter lease, that request may still reach
	 * it late. The lock then ends with the shorter lease and is no longer renewed.
	 * @param lease the new lease, counted from now; at least 10 ms
	 * @throws LockLostException if the lock is no longer ours
	 * @throws LockStoreException if the store did not reply
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew(Duration lease);

	/**
	 * Turn a lock held for writing into one held for reading, so that others may read.
	 * <p>
	 * The lock becomes one reader of several: with the same fencing token, and with a new
	 * lease unless more is left of the old one. No writer gets in between. Nothing
	 * changes for current readers.
	 * <p>
	 * If the store does not reply, the lock is still ours, but it is unknown whether
	 * others may read already. Each renewal asks for the change again, and so may the
	 * caller.
	 * @throws LockLostException if the lock is no longer ours
	 * @throws LockStoreException if the store did not reply
	 * @throws IllegalStateException if the lock was released, never expires, is several
	 * locks or a permit, or has been re-entered and that entry has not ended
	 * @see LockTarget#forReading()
	 */
	void downgrade();

	/**
	 * Separate the handle from the thread that took the lock, so that another thread can
	 * use it after the first one has ended.
	 * <p>
	 * Then the end of the first thread does not end the renewal, that thread cannot
	 * re-enter the lock, and its transactions do not delay the release. Call it on the
	 * thread that took the lock.
	 */
	void detach();

	/**
	 * Release the lock.
	 * <p>
	 * Renewal stops before the store is asked. It never throws because of the lock's
	 * state: see the returned outcome. A second release is harmless and returns the same
	 * outcome. An interrupt does not stop it, and the interrupt flag stays as it is. If
	 * the store does not reply, the release is tried again in the background until the
	 * lease is over.
	 * <p>
	 * A lock that was taken inside a transaction is released only when that transaction
	 * has ended. The same is true of a lock that was taken before a transaction and is
	 * released inside it, on its thread. Until then the lock is kept and renewed, and the
	 * outcome is {@link ReleaseOutcome#DEFERRED}. Other transactions that begin and end
	 * in between do not matter.
	 * @return what happened to the lock
	 * @see #close()
	 */
	ReleaseOutcome release();

	/**
	 * Release the lock, and fail if it was lost before (unless the loss is
	 * {@linkplain OnLost#IGNORE ignored}).
	 * @throws LockLostException if work was done without protection
	 * @see #release()
	 */
	@Override
	void close();

}
