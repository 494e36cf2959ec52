package io.github.redislock.simulation;

import java.util.concurrent.Executor;

import io.github.redislock.LockStore;
import io.github.redislock.LockTimer;

/**
 * A mistake that is built into a world on purpose, so that its rules can be seen to find
 * it. Never in the product: it changes what the product is made of.
 */
interface Mistake {

	/** All is as it should be. */
	Mistake NONE = new Mistake() {
	};

	/**
	 * Return what the server runs instead of a script.
	 */
	default String script(String name, String source) {
		return source;
	}

	/**
	 * Return what an engine uses instead of its store.
	 */
	default LockStore store(LockStore store) {
		return store;
	}

	/**
	 * Return what an engine uses instead of the timer of its host.
	 */
	default LockTimer timer(LockTimer timer) {
		return timer;
	}

	/**
	 * Return what runs users' actions instead of a thread for each.
	 */
	default Executor actions(Executor threads) {
		return threads;
	}

}
