package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks: decides, atomically, which owner holds one.
 * <p>
 * Implement it for another kind of store; users of locks do not call it. Seven methods
 * have to be implemented. The others have defaults for a store that has no queue, takes
 * one lock at a time and reports nothing. For all methods:
 * <ul>
 * <li>They are called from any thread, never block the caller, and complete within a
 * bounded time.</li>
 * <li>They are idempotent for their owner: a request that is delivered twice has the same
 * result twice.</li>
 * <li>The only failures of what they return are a {@link LockStoreException}, which says
 * whether the request may have taken effect, and a {@link LockKeyConflictException} for a
 * name under which the store keeps something that is not a lock.</li>
 * <li>Time is the store's own clock.</li>
 * </ul>
 * A store may keep a queue of waiting requests and hand a released lock over to the next
 * one. Callers of a store without a queue poll it.
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Begin to work. Called once before anything else, and again after each
	 * {@link #close()} if the process goes on, perhaps as one of several copies after a
	 * checkpoint. Then the store needs new connections and a new message channel. The
	 * default has neither, and no queue.
	 * @param listener the listener for hand-overs, called on any thread; never blocks
	 * @return publishes waits of this process to all processes that use this store, for
	 * {@link HandOverListener#told}, so that they find deadlocks. A message may be lost.
	 * The default publishes nothing, so that only deadlocks within a process are found
	 */
	default Consumer<String> listen(HandOverListener listener) {
		return (message) -> {
		};
	}

	/**
	 * Return how to split a target into parts, each of which this store acquires in one
	 * step, all or none. The default takes one lock after the other, and no shared ones.
	 * <p>
	 * Called for several locks and for shared ones, before they are acquired; one lock
	 * that is not shared is never split or refused. A caller acquires the parts one by
	 * one. If it does not wait and does not get all of them, it releases those that it
	 * has. If it waits, it keeps them until it has all or stops waiting. So the order
	 * must be the same for all callers and depend only on the names.
	 * @param target the lock or locks to acquire
	 * @return targets that together are the same locks, in the order in which to acquire
	 * them; for one lock, that target
	 * @throws IllegalArgumentException with the reason if the store cannot keep such a
	 * lock
	 */
	default List<LockTarget> groups(LockTarget target) {
		if (target.isShared()) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared, but this store keeps only exclusive locks".formatted(target));
		}
		return target.each();
	}

	/**
	 * Give the lock to the owner if it is free or already the owner's. A waiting request
	 * keeps its place in the queue for as long as it asks about once a second.
	 * <p>
	 * Several locks are given only together, and only if no other request has waited
	 * longer at any of them. While a request waits it has none of them.
	 * <p>
	 * A shared lock is given if no owner has it exclusively, no other request has waited
	 * longer, and fewer owners hold it than the target allows.
	 * @param request the lock, the owner, and how to wait
	 * @return granted, held by another owner, or withdrawn; fails with a
	 * {@link LockStoreException} caused by a
	 * {@link java.util.concurrent.RejectedExecutionException} if too many other requests
	 * are under way to send this one in time
	 */
	CompletionStage<AcquireReply> acquire(AcquireRequest request);

	/**
	 * Set the expiry of locks, or only check their owners, with as few requests as
	 * possible. The failure of one does not affect another.
	 * @param renewals the locks and their new leases; never several locks in one of them
	 * @return for each renewal, in the same order, whether the lock is the owner's
	 */
	List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals);

	/**
	 * Release a lock, and hand it to the next waiting request if there is a queue.
	 * @param granted the request that was granted, with a lease at least as long as the
	 * rest of the current one
	 * @param keepFor how long the lock still stays closed; zero releases it at once
	 * @return whether the lock was the owner's, or had run out without being taken from
	 * it
	 */
	CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor);

	/**
	 * Release a lock to the next waiting request and acquire it again, if possible in one
	 * step. If no other request waits, it is granted again at once. The default takes two
	 * steps.
	 * @param granted the request that was granted
	 * @param next the request that acquires the lock again
	 * @return the outcome of both
	 */
	default CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return release(granted, Duration.ZERO)
			.thenCompose((released) -> acquire(next).handle((reply, failure) -> new YieldReply(released,
					(failure != null) ? new AcquireReply.Failed(Failures.of(next.target(), failure)) : reply)));
	}

	/**
	 * Withdraw a request, whether it waits, was granted, got no reply or arrives later. A
	 * lock that it holds passes to the next waiting request.
	 * @param request the request to undo
	 * @param keepFor how long a lock that it holds still stays closed; zero releases it
	 * at once
	 * @param replied whether it got a reply each time it was sent: no copy can arrive
	 * later, so the store does not have to remember the withdrawal
	 * @return completes when the request can no longer take effect, and holds nothing
	 * beyond {@code keepFor}
	 */
	CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied);

	/**
	 * Return the holder of the lock.
	 * @param target the lock; never several, exclusive or shared
	 * @return the holder, or the one of several whose lease ends last; empty if the lock
	 * is free
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target);

	/**
	 * Take the lock away from all of its holders.
	 * @param target the lock; never several, exclusive or shared
	 * @param seen the only holder from which to take it, as an inspection returned it;
	 * not if it was seen alone and now shares the lock. {@code null} for any holder
	 * @return whether there was such a holder
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen);

	/**
	 * Return the status of this store, as far as it is known without a request. Returns
	 * at once. The default reports nothing.
	 * @param passing whether a lock is about to pass from caller to caller of this
	 * process. If so, the status is one of the constants of {@link StoreStatus}, without
	 * a trouble, and a store that can be notified of locks taken by force begins to
	 * listen. Otherwise the status is for operators, and the call opens no connection
	 * @return the status; {@link HandOverListener#changed()} is called at each change of
	 * whether the store is notified of force
	 */
	default StoreStatus status(boolean passing) {
		return StoreStatus.SILENT;
	}

	/**
	 * Close connections and threads. Called after the last lock was released: at the end,
	 * or before the process is stored and stopped, and then {@link #listen} follows.
	 */
	@Override
	void close();

}
