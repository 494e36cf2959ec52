package io.github.redislock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A non-blocking handle of an acquired lock.
 * <p>
 * Like {@link LockHandle}, but methods that send a request to the store return futures.
 * The lock belongs to no thread: any code that has the handle may release it. Renewal
 * ends with the release. It also ends if the handle is garbage collected without a
 * release. In that case a warning is logged, and a lock that can expire does so when its
 * lease and the grace period are over. Thread-safe; no method waits for the store.
 * <p>
 * By default, a reply completes its future on one of the template's own threads, where
 * dependent actions may block (see
 * {@link io.github.redislock.LockConfiguration#executor}). Cancelling a future does not
 * withdraw the request.
 *
 * @see AsyncLockOperations
 */
public interface AsyncLockHandle extends HeldLock {

	/**
	 * Check with the store whether this handle still holds the lock. If the store says
	 * that it is not, the lock counts as lost.
	 * @return whether we are still the owner, {@code false} after the release; fails with
	 * a {@link LockStoreException} if the store did not reply
	 */
	CompletableFuture<Boolean> verify();

	/**
	 * Add time to the rest of the lease.
	 * @param additional how much to add, at least 1 ms
	 * @return a future that completes when the store has confirmed the change, and fails
	 * with the exceptions that {@link LockHandle#extend(Duration)} throws
	 */
	CompletableFuture<Void> extend(Duration additional);

	/**
	 * Start the lease again, with the length that it had when the lock was acquired.
	 * @return a future that completes when the store has confirmed the change, and fails
	 * with the exceptions that {@link LockHandle#renew()} throws
	 */
	CompletableFuture<Void> renew();

	/**
	 * Replace the rest of the lease, whether the new lease is longer or shorter.
	 * @param lease the new lease, counted from now; at least 10 ms
	 * @return a future that completes when the store has confirmed the change, and fails
	 * with the exceptions that {@link LockHandle#renew(Duration)} throws
	 */
	CompletableFuture<Void> renew(Duration lease);

	/**
	 * Release the lock.
	 * <p>
	 * Renewal stops before the release is sent to the store. A second release is harmless
	 * and returns the same result. If the store does not reply, the release is retried in
	 * the background until the lock has expired (for up to one day if it never expires).
	 * @return a future that completes with the outcome and never fails
	 */
	CompletableFuture<ReleaseOutcome> release();

	/**
	 * Release the lock, and fail if it was lost before the release (unless the loss is
	 * {@linkplain OnLost#IGNORE ignored}).
	 * @return a future that completes when the lock has been released, or fails with a
	 * {@link LockLostException}
	 * @see #release()
	 */
	CompletableFuture<Void> close();

	/**
	 * Run a part of the work on the current thread, with this lock as its
	 * {@link LockContext#current()}, so that the part may re-enter the lock.
	 * <p>
	 * Use this for the later steps of work that moves from thread to thread. In
	 * {@link AsyncLockOperations#execute}, the first step already runs this way.
	 * @param <T> the type of the result
	 * @param <E> the type of the part's own exception
	 * @param part what to do
	 * @return what the part returns
	 * @throws E if the part failed
	 */
	<T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E;

	/**
	 * Return a blocking handle of the same lock. Do not use it on threads that must not
	 * block.
	 * @return a handle whose {@linkplain LockHandle#release() release} also releases this
	 * one
	 */
	LockHandle blocking();

}
