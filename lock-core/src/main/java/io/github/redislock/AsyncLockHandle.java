package io.github.redislock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A lock that was acquired, for callers who do not wait on their own thread.
 * <p>
 * Like {@link LockHandle}, with futures where the store has to be asked. It belongs to no
 * thread: whoever has it may let it go. Its renewal ends with the release, and when
 * nobody can reach it any more, which is reported; the lock then frees itself when its
 * lease is over. Thread-safe; nothing in here blocks.
 * <p>
 * The futures are completed on the template's own threads, where what depends on them may
 * block (see {@link io.github.redislock.engine.LockConfiguration#executor}); cancelling
 * one of them changes nothing of what the store was asked.
 *
 * @see AsyncLockOperations
 */
public interface AsyncLockHandle extends HeldLock {

	/**
	 * Ask the store whether the lock is still ours. The answer "no" makes the lock lost.
	 * @return whether the store still knows us as the owner; fails with a
	 * {@link LockStoreException} if it did not answer
	 */
	CompletableFuture<Boolean> verify();

	/**
	 * Add time to what remains of the lease.
	 * @param additional how much longer than now planned the lock shall stay ours
	 * @return completed when that is so; fails as {@link LockHandle#extend(Duration)}
	 * throws
	 */
	CompletableFuture<Void> extend(Duration additional);

	/**
	 * Start the lease anew, as long as it was when the lock was acquired.
	 * @return completed when that is so; fails as {@link LockHandle#renew()} throws
	 */
	CompletableFuture<Void> renew();

	/**
	 * Replace what remains of the lease, whether that is more or less.
	 * @param lease how long the lock shall stay ours, counted from now
	 * @return completed when that is so; fails as {@link LockHandle#renew(Duration)}
	 * throws
	 */
	CompletableFuture<Void> renew(Duration lease);

	/**
	 * Let others read under a lock that this one has had for writing. From now on it is
	 * one reader of several, with the same fencing token and a lease begun anew, unless
	 * more is left of it; nobody writes in between. Nothing changes for who reads
	 * already.
	 * <p>
	 * If the store does not answer, the lock is ours still, and either alone or not: each
	 * renewal asks for it again, and so may you.
	 * @return completed when that is so; fails as {@link LockHandle#downgrade()} throws
	 */
	CompletableFuture<Void> downgrade();

	/**
	 * Let the lock go.
	 * <p>
	 * Renewal stops before the store is asked. Releasing twice is harmless and answers
	 * the same. When the store does not answer, the release is tried again in the
	 * background until the lease is over.
	 * @return what became of the lock; never fails
	 */
	CompletableFuture<ReleaseOutcome> release();

	/**
	 * Let the lock go, and fail if it was lost before (unless that is to be
	 * {@linkplain OnLost#IGNORE ignored}).
	 * @return completed when the lock was let go; fails with a {@link LockLostException}
	 * if work was done without protection
	 * @see #release()
	 */
	CompletableFuture<Void> close();

	/**
	 * Run a part of the work on the present thread, with this lock as its
	 * {@link LockContext#current()}, so that it can be entered again.
	 * <p>
	 * For the later steps of work that goes from thread to thread; its first step has it
	 * already.
	 * @param <T> the type of the result
	 * @param <E> the type of the part's own exception
	 * @param part what to do
	 * @return what the part answers
	 * @throws E if the part failed
	 */
	<T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E;

	/**
	 * Return the same lock for code that waits on its own thread.
	 * @return a handle whose questions block, and whose {@linkplain LockHandle#release()
	 * release} is this one's; not to be used where a thread must not block
	 */
	LockHandle blocking();

}
