package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.internal.engine.SimulatedEngine;

/**
 * Lets the threads of a world wait.
 */
final class ThreadWaits implements SimulatedEngine.Waits {

	private final VirtualTime time;

	ThreadWaits(VirtualTime time) {
		this.time = time;
	}

	/**
	 * Let time pass until the future is done, or for slightly longer than the limit
	 * because the clock may run slowly.
	 */
	@Override
	public boolean await(CompletableFuture<?> done, Duration limit) {
		return this.time.pass(done::isDone, this.time.now() + limit.toNanos() + limit.toNanos() / 100 + 1_000);
	}

	@Override
	public void await(CompletableFuture<?> done) throws InterruptedException {
		caller(done).await(done, true);
	}

	@Override
	public void awaitUninterruptibly(CompletableFuture<?> done) {
		try {
			caller(done).await(done, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible wait was interrupted", ex);
		}
	}

	private static Caller caller(CompletableFuture<?> done) {
		Caller present = Caller.present();
		if (present == null) {
			throw new IllegalStateException("The world's thread must not wait for " + done);
		}
		return present;
	}

}
