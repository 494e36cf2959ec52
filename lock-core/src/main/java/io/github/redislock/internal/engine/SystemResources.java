package io.github.redislock.internal.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.github.redislock.LockTimer;
import io.github.redislock.internal.support.OwnerTokens;

/**
 * The system resources that an engine uses in addition to its {@link LockTimer}.
 *
 * @param nanoTime the clock for waiting at shutdown and for owner tokens
 * @param random the source of jitter, so that processes do not send requests at the same
 * time; thread-safe
 * @param secrets the source of owner tokens that cannot be guessed
 * @param actions creates the threads for users' actions, given the prefix of their names
 * @param waiting lets the closing thread and callers' threads wait
 */
record SystemResources(LongSupplier nanoTime, RandomGenerator random, SecureRandom secrets,
		Function<String, Executor> actions, Waiting waiting) {

	static SystemResources system() {
		return new SystemResources(System::nanoTime, new Random(), OwnerTokens.systemRandom(),
				(name) -> WorkThreads.create(name, CallbackThreads.MOST_THREADS), SystemResources::await);
	}

	private static boolean await(CompletableFuture<Void> done, Duration limit) throws InterruptedException {
		try {
			done.get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
		return true;
	}

	/**
	 * Lets the current thread wait for a future.
	 */
	@FunctionalInterface
	interface Waiting {

		/**
		 * Wait for at most the given time.
		 * @return whether the future completed successfully in time
		 */
		boolean await(CompletableFuture<Void> done, Duration limit) throws InterruptedException;

		default <T> T get(CompletableFuture<T> reply) throws InterruptedException, ExecutionException {
			return reply.get();
		}

		/**
		 * Wait as {@link CompletableFuture#join()} does: an interrupt does not end the
		 * wait, and the interrupt flag stays set.
		 */
		default <T> T join(CompletableFuture<T> reply) {
			return reply.join();
		}

	}

}
