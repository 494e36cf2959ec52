package io.github.redislock.engine;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.Failures;

/**
 * Makes a caller wait for replies of the store.
 */
final class StoreReplies {

	private StoreReplies() {
	}

	/**
	 * Wait for a reply, which a store gives within a bounded time. An interrupt does not
	 * end the wait; the interrupt flag stays set.
	 * @param waiting makes the caller's thread wait
	 * @throws LockException if the store failed or the lock was lost
	 * @throws IllegalStateException if the lock was already released
	 */
	static <T> T await(Machine.Waiting waiting, LockTarget target, CompletionStage<T> reply) {
		try {
			return waiting.join(reply.toCompletableFuture());
		}
		catch (CompletionException ex) {
			throw translate(target, ex);
		}
	}

	/**
	 * Return the exception for a caller whose reply failed.
	 */
	static RuntimeException translate(LockTarget target, Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return (cause instanceof LockLostException || cause instanceof IllegalStateException) ? (RuntimeException) cause
				: Failures.of(target, cause);
	}

}
