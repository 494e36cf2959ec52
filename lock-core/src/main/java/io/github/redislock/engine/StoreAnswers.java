package io.github.redislock.engine;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.Failures;

/**
 * Makes a caller wait for answers of the store.
 */
final class StoreAnswers {

	private StoreAnswers() {
	}

	/**
	 * Wait for an answer, which a store gives within a bounded time. An interrupt does
	 * not end the wait; the interrupt flag stays set.
	 * @param waiting makes the caller's thread wait
	 * @throws LockException if the store failed or the lock was lost
	 * @throws IllegalStateException if the lock was released while more was asked for
	 */
	static <T> T await(Machine.Waiting waiting, LockTarget target, CompletionStage<T> answer) {
		try {
			return waiting.join(answer.toCompletableFuture());
		}
		catch (CompletionException ex) {
			throw translate(target, ex);
		}
	}

	/**
	 * Return the exception for a caller whose answer failed.
	 */
	static RuntimeException translate(LockTarget target, Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return (cause instanceof LockLostException || cause instanceof IllegalStateException) ? (RuntimeException) cause
				: Failures.of(target, cause);
	}

}
