package io.github.redislock;

import java.time.Duration;

/**
 * A lock that was acquired: proof of it, and the way to keep it and let it go.
 * <p>
 * It may be used from any thread. Renewal ends with the release; and when nobody is left
 * who could release it, since the thread that took the lock has ended and no other has
 * used the handle, or since nobody can reach the handle any more. Both are reported, and
 * the lock frees itself when its lease is over. Made for try-with-resources:
 * <pre class="code">
 * try (LockHandle lock = locks.acquire(LockTarget.of("report", user))) {
 *     ledger.append(entry, lock.fencingToken());
 * }
 * </pre>
 *
 * @see LockOperations#acquire(String, LockOptions)
 */
public interface LockHandle extends HeldLock, AutoCloseable {

	/**
	 * Ask the store whether the lock is still ours.
	 * <p>
	 * The answer "no" makes the lock lost.
	 * @return whether the store still knows us as the owner
	 * @throws LockStoreException if the store did not answer
	 * @see #isHeld()
	 */
	boolean verify();

	/**
	 * Add time to what remains of the lease.
	 * @param additional how much longer than now planned the lock shall stay ours
	 * @throws LockLostException if the lock is not ours any more
	 * @throws LockStoreException if the store did not answer; the lock may or may not
	 * have been extended, {@link #remaining()} stays the safe answer
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void extend(Duration additional);

	/**
	 * Start the lease anew, as long as it was when the lock was acquired.
	 * @throws LockLostException if the lock is not ours any more
	 * @throws LockStoreException if the store did not answer
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew();

	/**
	 * Replace what remains of the lease, whether that is more or less.
	 * <p>
	 * With automatic renewal a shorter lease lasts only until the next renewal. If the
	 * store does not answer a question for a shorter one, the lock ends with that, and
	 * nothing renews it any more: the question might reach the store late.
	 * @param lease how long the lock shall stay ours, counted from now
	 * @throws LockLostException if the lock is not ours any more
	 * @throws LockStoreException if the store did not answer
	 * @throws IllegalStateException if the lock was released or never expires
	 */
	void renew(Duration lease);

	/**
	 * Let others read under a lock that this one has had for writing. From now on it is
	 * one reader of several, with the same fencing token and a lease begun anew, unless
	 * more is left of it; nobody writes in between. Nothing changes for who reads
	 * already.
	 * <p>
	 * If the store does not answer, the lock is ours still, and either alone or not: each
	 * renewal asks for it again, and so may you.
	 * @throws LockLostException if the lock is not ours any more
	 * @throws LockStoreException if the store did not answer
	 * @throws IllegalStateException if the lock was released, never expires, is several
	 * or a permit, or was entered again and not left
	 * @see LockTarget#forReading()
	 */
	void downgrade();

	/**
	 * Go on without the thread that took the lock: its end does not end the renewal any
	 * more, it does not enter the lock again, and its transactions have nothing to do
	 * with it.
	 * <p>
	 * For a handle that another thread will use, where the first one ends before. To be
	 * called by the thread that took the lock.
	 */
	void detach();

	/**
	 * Let the lock go.
	 * <p>
	 * Renewal stops before the store is asked. Never throws because of the lock's state:
	 * the answer tells. Releasing twice is harmless and answers the same; an interrupt
	 * does not stop it and the interrupt flag stays as it is. When the store does not
	 * answer, the release is tried again in the background until the lease is over.
	 * <p>
	 * A lock that was taken inside a transaction is only let go when that transaction has
	 * ended, and so is one that was taken before a transaction and is released inside it,
	 * on its thread: until then it is kept, and renewed, and the answer is
	 * {@link ReleaseOutcome#DEFERRED}. Other transactions that begin and end meanwhile
	 * change nothing of that.
	 * @return what became of the lock
	 * @see #close()
	 */
	ReleaseOutcome release();

	/**
	 * Let the lock go, and fail if it was lost before (unless that is to be
	 * {@linkplain OnLost#IGNORE ignored}).
	 * @throws LockLostException if work was done without protection
	 * @see #release()
	 */
	@Override
	void close();

}
