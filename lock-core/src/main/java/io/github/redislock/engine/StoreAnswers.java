package io.github.redislock.engine;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.Failures;

/**
 * Lets a caller wait for what the store answers.
 */
final class StoreAnswers {

	private StoreAnswers() {
	}

	/**
	 * Wait for an answer, which a store gives within a bounded time. An interrupt does
	 * not end the wait; the interrupt flag stays set.
	 * @param waiting lets the caller's thread wait
	 * @throws LockException if the store failed or the lock was lost
	 * @throws IllegalStateException if the lock was released while it was asked for more
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
	 * Return what a caller is told of an answer that failed.
	 */
	static RuntimeException translate(LockTarget target, Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		return (cause instanceof LockLostException || cause instanceof IllegalStateException) ? (RuntimeException) cause
				: Failures.of(target, cause);
	}

}
