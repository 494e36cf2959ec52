package io.github.redislock;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;

/**
 * Makes the real engine on a simulated machine.
 */
public final class SimulatedEngine extends LockTemplate {

	/**
	 * Create an engine.
	 * @param actions runs users' actions on losses
	 * @param await lets time pass until something is done, or for as long as it may take
	 */
	public SimulatedEngine(LockStore store, LockConfiguration configuration, LockTimer timer, Executor actions,
			RandomGenerator random, SecureRandom secrets, BiPredicate<CompletableFuture<?>, Duration> await) {
		super(new LockEngine(store, configuration.timer(timer), new Machine(timer::nanoTime, random, secrets,
				(name) -> new LossActions(new WorkThreads(actions)), await::test)), configuration,
				SurroundingTransaction.NONE);
	}

	/**
	 * Return whether nothing is left of any lock, nor of any wait for one.
	 */
	public boolean isAtRest() {
		return isIdle();
	}

}
