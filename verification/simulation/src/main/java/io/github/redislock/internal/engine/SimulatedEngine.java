package io.github.redislock.internal.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTimer;
import io.github.redislock.store.LockStore;

/**
 * A template with the real engine, on a simulated machine.
 */
public final class SimulatedEngine extends LockTemplate {

	/**
	 * Create an engine.
	 * @param actions runs users' actions on losses
	 * @param waits how threads of the application wait
	 */
	public SimulatedEngine(LockStore store, LockConfiguration configuration, LockTimer timer, Executor actions,
			RandomGenerator random, SecureRandom secrets, Waits waits) {
		super(new LockEngine(store, configuration.timer(timer),
				new SystemResources(timer::nanoTime, random, secrets, (name) -> actions, waiting(waits))),
				configuration, SurroundingTransaction.NONE);
	}

	private static SystemResources.Waiting waiting(Waits waits) {
		return new SystemResources.Waiting() {

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
	 * Return whether the engine has no locks and no waits left.
	 */
	public boolean isAtRest() {
		return isIdle();
	}

	/**
	 * Return a view of a lock for observers. Reading it does not count as a use of the
	 * lock.
	 * @param handle the caller's handle, of any API
	 */
	public static HeldLock seen(Object handle) {
		return new HoldHandle((HoldHandle) handle);
	}

	/**
	 * Lets threads wait.
	 */
	public interface Waits {

		/**
		 * Let time pass until a future is done, or up to a limit.
		 * @return whether it is done
		 */
		boolean await(CompletableFuture<?> done, Duration limit);

		void await(CompletableFuture<?> done) throws InterruptedException;

		void awaitUninterruptibly(CompletableFuture<?> done);

	}

}
