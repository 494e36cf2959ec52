package io.github.redislock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

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
 * <li>The only failure is a {@link LockStoreException}; it says whether the request may
 * have taken effect.</li>
 * <li>Time is the store's own clock.</li>
 * </ul>
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Give the lock to the owner if it is free or already the owner's.
	 * @param request who asks for what
	 * @return granted, held by somebody else, or withdrawn
	 */
	CompletionStage<AcquireAnswer> acquire(AcquireRequest request);

	/**
	 * Set how long the owner's lock lives, counted from now.
	 * @param target the lock
	 * @param owner the owner token
	 * @param timeToLive its new life; more or less than what remained
	 * @return whether the lock is the owner's
	 */
	CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive);

	/**
	 * Let the owner's lock go.
	 * @param target the lock
	 * @param owner the owner token
	 * @param keepFor how long the lock stays closed all the same; zero frees it at once
	 * @return whether the lock was the owner's, or had been and nobody else's since
	 */
	CompletionStage<Boolean> release(LockTarget target, String owner, Duration keepFor);

	/**
	 * Undo an acquisition whose outcome is not known, also if its request arrives only
	 * later.
	 * @param request the request to undo
	 * @return completes when the lock is not the owner's and the request can take no
	 * effect any more
	 */
	CompletionStage<Void> withdraw(AcquireRequest request);

	/**
	 * Return who holds the lock.
	 * @param target the lock
	 * @return the holder, or empty if it is free
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target);

	/**
	 * Take the lock away from whoever holds it.
	 * @param target the lock
	 * @return whether there was a holder
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target);

	/**
	 * Let go of connections and threads. Called once, after the last lock was released.
	 */
	@Override
	void close();

	/**
	 * A question for a lock.
	 *
	 * @param target the lock
	 * @param owner the owner token
	 * @param requestId known to no other acquisition; the same when asked again
	 * @param timeToLive how long the store keeps the lock if nobody renews it, or
	 * {@code null} for ever
	 */
	record AcquireRequest(LockTarget target, String owner, String requestId, @Nullable Duration timeToLive) {
	}

	/**
	 * The answer to a question for a lock.
	 */
	sealed interface AcquireAnswer {

		/**
		 * The lock is the asker's.
		 *
		 * @param fencingToken greater than that of every earlier hold; the same when
		 * asked again
		 */
		record Granted(long fencingToken) implements AcquireAnswer {
		}

		/**
		 * Somebody else holds the lock.
		 *
		 * @param holder what the store knows of the holder
		 */
		record Held(LockState holder) implements AcquireAnswer {
		}

		/**
		 * The request had been withdrawn and took no effect.
		 */
		record Withdrawn() implements AcquireAnswer {
		}

	}

}
