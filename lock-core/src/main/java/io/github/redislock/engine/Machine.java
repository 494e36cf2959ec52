package io.github.redislock.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.github.redislock.support.OwnerTokens;

/**
 * The resources of the machine that an engine uses, besides its {@link LockTimer}.
 *
 * @param nanoTime the time by which a shutdown waits
 * @param random keeps processes from asking at the same time; thread-safe
 * @param secrets creates owner tokens that cannot be guessed
 * @param actions creates the threads for users' actions
 * @param waiting makes a thread wait: the closing one, and those of callers
 */
record Machine(LongSupplier nanoTime, RandomGenerator random, SecureRandom secrets,
		Function<String, CallbackThreads> actions, Waiting waiting) {

	/**
	 * Return the machine of this JVM.
	 */
	static Machine system() {
		return new Machine(System::nanoTime, new Random(), OwnerTokens.systemRandom(), CallbackThreads::new,
				Machine::await);
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
	 * Makes the current thread wait until something is done.
	 */
	@FunctionalInterface
	interface Waiting {

		/**
		 * Wait up to a limit.
		 * @return whether it has succeeded in time
		 */
		boolean await(CompletableFuture<Void> done, Duration limit) throws InterruptedException;

		/**
		 * Wait as {@link CompletableFuture#get()} does.
		 */
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
