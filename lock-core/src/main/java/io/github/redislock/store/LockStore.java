package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks, and decides atomically which owner holds a lock.
 * <p>
 * Implement this interface for another kind of store; users of locks do not call it.
 * Seven methods have to be implemented. The others have defaults for a store that has no
 * queue, acquires one lock at a time and reports nothing. The following applies to all
 * methods with asynchronous results:
 * <ul>
 * <li>They are called from any thread, must not block the caller, and must complete
 * within a bounded time.</li>
 * <li>They are idempotent: a request may be delivered twice, and the second delivery must
 * not change the outcome.</li>
 * <li>They may fail only with a {@link LockStoreException}, which says whether the
 * request may have taken effect, or with a {@link LockKeyConflictException} for a name
 * under which the store keeps something that is not a lock.</li>
 * <li>They measure leases by the store's own clock.</li>
 * </ul>
 * A store may keep a queue of waiting requests and hand a released lock over to the next
 * one. Callers of a store without a queue poll it.
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Begin to work. Called once before any other method, and again after each
	 * {@link #close()} if the process continues, perhaps as one of several copies after a
	 * checkpoint. The store then needs new connections and a new message channel. The
	 * default does nothing.
	 * @param listener the listener for hand-overs; may be called on any thread, and never
	 * blocks
	 */
	default void listen(HandOverListener listener) {
	}

	/**
	 * Return how to split a target into parts, each of which this store acquires in one
	 * step, all or none. By default, locks are acquired one after the other, and shared
	 * locks are not supported.
	 * <p>
	 * Called only for several locks and for shared locks; a single exclusive lock is
	 * never split or refused. A caller acquires the parts one by one. If it does not wait
	 * and does not get all of them, it releases those that it has. If it waits, it keeps
	 * them until it has all parts or stops waiting. So the order must be the same for all
	 * callers and must depend only on the names.
	 * @param target the lock or locks to acquire
	 * @return targets that together are the same locks, in the order in which to acquire
	 * them; for one lock, that target
	 * @throws IllegalArgumentException if the store does not support the target
	 */
	default List<LockTarget> groups(LockTarget target) {
		if (target.isShared()) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared, but this store keeps only exclusive locks".formatted(target));
		}
		return target.each();
	}

	/**
	 * Give the lock to the owner if it is free or if the owner already has it. A waiting
	 * request keeps its place in the queue as long as it is sent about once a second.
	 * <p>
	 * Several locks are given only together, if it is the request's turn for all of them.
	 * A waiting request has none of them.
	 * <p>
	 * A shared lock is given if no owner has it exclusively, it is the request's turn,
	 * and fewer owners hold it than the target allows.
	 * @param request specifies the lock, the owner, and how to wait
	 * @return granted, held by another owner, or withdrawn; fails with a
	 * {@link LockStoreException} caused by a
	 * {@link java.util.concurrent.RejectedExecutionException} if too many other requests
	 * are pending to send this one in time
	 */
	CompletionStage<AcquireReply> acquire(AcquireRequest request);

	/**
	 * Set the expiry of locks, or only check their owners, with as few requests as
	 * possible. A problem with one lock must not fail the other renewals.
	 * @param renewals the locks and their new leases, each for a single lock
	 * @return for each renewal, in the same order, whether the owner has the lock
	 */
	List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals);

	/**
	 * Release a lock, and hand it to the next waiting request if there is a queue.
	 * @param granted the request that was granted, with a lease at least as long as the
	 * rest of the current one
	 * @param keepFor how much longer the lock stays locked; zero releases it at once
	 * @return whether the owner had the lock. May also be {@code true} if the lease has
	 * expired and no other owner has had the lock since
	 */
	CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor);

	/**
	 * Release a lock that was granted in the {@linkplain AcquireReply.Granted#quick()
	 * shorter way}. The store uses the shorter way again if it can. By default, this
	 * method calls {@link #release}.
	 * @param granted the request that was granted, with a lease at least as long as the
	 * rest of the current one
	 * @param fencingToken the first of the reserved fencing tokens
	 * @return whether the owner had the lock, as for {@link #release}
	 */
	default CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		return release(granted, Duration.ZERO);
	}

	/**
	 * Release a lock to the next waiting request and request it again, in one step if
	 * possible. If no other request waits, the lock is granted again. The default takes
	 * two steps.
	 * @param granted the request that was granted
	 * @param next the request that acquires the lock again
	 * @return the outcome of the release, with the reply to the acquisition. Fails only
	 * if the outcome of the release is unknown
	 */
	default CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		// An exception of acquire must not hide the release.
		return release(granted, Duration.ZERO).thenApply((released) -> new YieldReply(released,
				CompletableFuture.completedStage(next).thenCompose(this::acquire)));
	}

	/**
	 * Withdraw a request that waits, was granted, got no reply, or arrives later. If it
	 * holds the lock, the lock is released.
	 * @param request the request to withdraw
	 * @param keepFor how much longer a lock that the request holds stays locked; zero
	 * releases it at once
	 * @param replied whether the request got a reply each time it was sent. If so, the
	 * store does not have to remember the withdrawal, unless it repeats requests itself
	 * @return a future that completes when the request can no longer take effect and
	 * holds no lock for longer than {@code keepFor}
	 */
	CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied);

	/**
	 * Return the holder of the lock.
	 * @param target a single lock, exclusive or shared
	 * @return the holder, or the holder whose lease ends last if there are several; empty
	 * if the lock is free
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target);

	/**
	 * Take the lock away from all of its holders.
	 * @param target a single lock, exclusive or shared
	 * @param seen the holder that must still have the lock, as returned by an inspection.
	 * If it was the only holder then and now shares the lock with others, nothing
	 * happens. {@code null} means any holder
	 * @return whether the lock was taken away
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen);

	/**
	 * Return the status of this store, as far as known without a request. Must not block.
	 * The default is {@link StoreStatus#SILENT}.
	 * @param passing whether a lock is about to pass from caller to caller of this
	 * process. If so, the status names no problem, and a store that can be notified of
	 * forced releases begins to listen for them. Otherwise the status is for operators,
	 * and the call opens no connection
	 * @return the status; the store calls {@link HandOverListener#changed()} when it has
	 * begun or stopped receiving messages
	 */
	default StoreStatus status(boolean passing) {
		return StoreStatus.SILENT;
	}

	/**
	 * Close connections and stop threads. Called at shutdown, after all locks were
	 * released as far as possible, or before a checkpoint of the process. After a
	 * checkpoint, {@link #listen} is called again if the process continues.
	 */
	@Override
	void close();

}
