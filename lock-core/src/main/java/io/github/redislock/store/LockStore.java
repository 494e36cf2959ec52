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
 * Where locks are kept: decides, atomically, who holds one.
 * <p>
 * To be implemented for another kind of store; users of locks do not call it. For all
 * methods:
 * <ul>
 * <li>They never block the caller and answer within a bounded time.</li>
 * <li>They are idempotent for their owner: asked twice they answer twice the same, since
 * a network may deliver a request twice.</li>
 * <li>The only failures are a {@link LockStoreException}, which says whether the request
 * may have taken effect, and a {@link LockKeyConflictException} for a name under which
 * the store keeps something that is not a lock.</li>
 * <li>Time is the store's own clock.</li>
 * </ul>
 * A store may keep a queue of who waits and hand a lock over to the next one when it is
 * let go; one that does not is asked again and again.
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Name who is told of hand-overs. Called once, before anything else; a store without
	 * a queue has nothing to tell.
	 * @param listener called on any thread, never blocks
	 */
	default void listen(HandOverListener listener) {
	}

	/**
	 * Return how to split several locks into what this store acquires in one step, all or
	 * none. The default takes one lock after the other.
	 * <p>
	 * Whoever acquires several locks gets these groups one by one. Who does not wait lets
	 * go of those that it has if it does not get all; who waits keeps them until it has
	 * all or gives up, whether the store has a queue or not. So the order must be the
	 * same for everybody, and not depend on anything but the names. For a target of one
	 * lock, that target.
	 * @param target the locks
	 * @return targets that together are the same locks, in the order in which to acquire
	 * them
	 */
	default List<LockTarget> groups(LockTarget target) {
		return target.each();
	}

	/**
	 * Fail if this store cannot keep such a lock. The default keeps none that is shared.
	 * @param target what is to be acquired
	 * @throws IllegalArgumentException with the reason
	 */
	default void requireSupported(LockTarget target) {
		if (target.isShared()) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared, but this store keeps only locks that one holder has alone".formatted(target));
		}
	}

	/**
	 * Give the lock to the owner if it is free or already the owner's. A request that
	 * waits keeps its place in the queue for as long as it asks about once a second.
	 * <p>
	 * Several locks are given only together: to a request for which nobody waits longer
	 * at any of them. While it waits it has none of them.
	 * <p>
	 * A lock that is shared is given as long as nobody has it alone, nobody waits longer,
	 * and fewer hold it than the target says.
	 * @param request who asks for what
	 * @return granted, held by somebody else, or withdrawn; fails with a
	 * {@link LockStoreException} caused by a
	 * {@link java.util.concurrent.RejectedExecutionException} if there are too many other
	 * questions to ask this one while an answer is waited for
	 */
	CompletionStage<AcquireAnswer> acquire(AcquireRequest request);

	/**
	 * Set how long the owner's lock lives, counted from now.
	 * @param target the lock; never several
	 * @param owner the owner token
	 * @param timeToLive its new life; more or less than what remained
	 * @return whether the lock is the owner's
	 */
	CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive);

	/**
	 * Set how long several locks live, with as few requests as possible. One lock's
	 * failure is not another's.
	 * @param renewals what to renew
	 * @return the answers, in the same order, each as of
	 * {@link #renew(LockTarget, String, Duration)}
	 */
	default List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		return renewals.stream()
			.map((renewal) -> (renewal.timeToLive() != null)
					? renew(renewal.target(), renewal.owner(), renewal.timeToLive())
					: isOwner(renewal.target(), renewal.owner()))
			.toList();
	}

	/**
	 * Let a lock go: to the next one who waits, if there is a queue.
	 * @param granted the request that was granted, with a lease at least as long as the
	 * rest of the present one
	 * @param keepFor how long the lock stays closed all the same; zero lets it go at once
	 * @return whether the lock was the owner's, or had been and was not taken from it
	 */
	CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor);

	/**
	 * Let a lock go to the next one who waits and ask for it anew, if possible in one
	 * step. Where nobody waits the asker has it again at once.
	 * @param granted the request that was granted
	 * @param next the request that asks anew
	 * @return what came of both
	 */
	default CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return release(granted, Duration.ZERO)
			.thenCompose((released) -> acquire(next).handle((answer, failure) -> new YieldAnswer(released,
					(failure != null) ? new AcquireAnswer.Failed(Failures.of(next.target(), failure)) : answer)));
	}

	/**
	 * Let others read under a lock that its owner has had alone: from now on the owner is
	 * one reader of several, with the same fencing token. Those that have waited longest
	 * read with it at once, if they wait to read. Where it is so already, as
	 * {@link #renew}.
	 * @param granted the request that was granted, now for reading
	 * @param timeToLive how long the lock lives, counted from now
	 * @return whether the lock is the owner's
	 */
	default CompletionStage<Boolean> downgrade(AcquireRequest granted, Duration timeToLive) {
		throw new UnsupportedOperationException("This store keeps only locks that one holder has alone");
	}

	/**
	 * Give up a request, whether it waits, was granted or was never answered, and also if
	 * it arrives only later. A lock that it holds goes on to the next one.
	 * @param request the request to undo
	 * @param keepFor how long a lock that it holds stays closed all the same; zero lets
	 * it go at once
	 * @return completes when the request holds nothing, or no longer than that, and can
	 * take no effect any more
	 */
	CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor);

	/**
	 * Give up a request, as {@link #withdraw}, all questions of which were answered: none
	 * of them can arrive later, so that nothing has to be remembered. The default
	 * remembers it all the same.
	 * @param answered the request to undo
	 * @return completes when the request neither waits nor holds anything
	 */
	default CompletionStage<Void> leave(AcquireRequest answered) {
		return withdraw(answered, Duration.ZERO);
	}

	/**
	 * Return who holds the lock.
	 * @param target the lock; never several, and in whatever way it is held
	 * @return the holder, or the one of several whose lease ends last; empty if the lock
	 * is free
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target);

	/**
	 * Return whether a lock is an owner's; of several, each.
	 * @param target the lock
	 * @param owner the owner token
	 * @return whether it is
	 */
	default CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		return target.each()
			.stream()
			.map((lock) -> inspect(lock)
				.thenApply((holder) -> holder.isPresent() && holder.get().owner().equals(owner)))
			.reduce((one, other) -> one.thenCombine(other, Boolean::logicalAnd))
			.orElseThrow();
	}

	/**
	 * Take the lock away from whoever holds it, also from all that share it.
	 * @param target the lock; never several, and in whatever way it is held
	 * @return whether there was a holder
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target);

	/**
	 * Take the lock away from a holder that was seen, and from all that share the lock
	 * with it; but not if it was seen alone and shares the lock by now. The default looks
	 * first and takes then, so somebody else may have got it in between.
	 * @param target the lock; never several, and in whatever way it is held
	 * @param seen as an inspection told it
	 * @return whether the lock was that holder's still
	 */
	default CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return isOwner(target, seen.owner())
			.thenCombine(inspect(target),
					(its, present) -> its
							&& present.filter((state) -> seen.holders() > 1 || state.holders() == 1).isPresent())
			.thenCompose((same) -> same ? forceRelease(target) : CompletableFuture.completedFuture(false));
	}

	/**
	 * Return whether this process is told at present when a lock is taken by force. Only
	 * then a lock passes from caller to caller without a question; so it is asked each
	 * time, and has to return at once. May begin to listen. The default is not told.
	 * @return whether it is; {@link HandOverListener#changed()} tells of each change
	 */
	default boolean tellsOfForce() {
		return false;
	}

	/**
	 * Return what keeps this store from working as well as it could, as far as it knows
	 * without asking: for people who look after it. The default knows nothing.
	 * @return what it is and what it does to those who use locks; {@code null} if nothing
	 * is wrong
	 */
	default @Nullable String trouble() {
		return null;
	}

	/**
	 * Close all connections, since this process is about to be stopped and copied; it
	 * holds no lock and waits for none. The default has none.
	 */
	default void suspend() {
	}

	/**
	 * Go on, perhaps as one of several copies: with connections of its own, and a way of
	 * its own to be told of hand-overs.
	 */
	default void resume() {
	}

	/**
	 * Let go of connections and threads. Called once, after the last lock was released.
	 */
	@Override
	void close();

}
