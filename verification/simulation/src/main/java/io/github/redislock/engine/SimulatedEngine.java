package io.github.redislock.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.github.redislock.HeldLock;
import io.github.redislock.SurroundingTransaction;
import io.github.redislock.store.LockStore;

/**
 * Makes the real engine on a simulated machine.
 */
public final class SimulatedEngine extends LockTemplate {

	/**
	 * Create an engine.
	 * @param actions runs users' actions on losses
	 * @param waits lets the threads of the application wait
	 */
	public SimulatedEngine(LockStore store, LockConfiguration configuration, LockTimer timer, Executor actions,
			RandomGenerator random, SecureRandom secrets, Waits waits) {
		super(new LockEngine(store, configuration.timer(timer), new Machine(timer::nanoTime, random, secrets,
				(name) -> new CallbackThreads(new WorkThreads(actions)), waiting(waits))), configuration,
				SurroundingTransaction.NONE);
	}

	private static Machine.Waiting waiting(Waits waits) {
		return new Machine.Waiting() {

			@Override
			public boolean await(CompletableFuture<Void> done, Duration limit) {
				return waits.await(done, limit);
			}

			@Override
			public <T> T get(CompletableFuture<T> reply) throws InterruptedException, ExecutionException {
				waits.await(reply);
				return reply.get();
			}

			@Override
			public <T> T join(CompletableFuture<T> reply) {
				waits.awaitUninterruptibly(reply);
				return reply.join();
			}

		};
	}

	/**
	 * Return whether nothing is left of any lock, nor of any wait for one.
	 */
	public boolean isAtRest() {
		return isIdle();
	}

	/**
	 * Return a lock for those who only look at it: that is no use of it by their thread.
	 * @param handle what a caller was given, by whichever face
	 */
	public static HeldLock seen(Object handle) {
		return (handle instanceof BlockingHandle given) ? given.entry() : ((AsyncHandle) handle).entry();
	}

	/**
	 * Lets threads wait.
	 */
	public interface Waits {

		/**
		 * Let time pass until something is done, or for as long as it may take.
		 * @return whether it is done
		 */
		boolean await(CompletableFuture<?> done, Duration limit);

		/**
		 * Let the thread of a caller wait until something is done.
		 */
		void await(CompletableFuture<?> done) throws InterruptedException;

		/**
		 * Let the thread of a caller wait until something is done, whatever interrupts
		 * it.
		 */
		void awaitUninterruptibly(CompletableFuture<?> done);

	}

}
