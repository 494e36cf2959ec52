package io.github.redislock.memory;

import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;

/**
 * In a store without support for several locks.
 */
class SeveralLocksOneByOneTests extends SeveralLocksContract {

	private final SharedMemory shared = new SharedMemory();

	@Override
	protected boolean takesAllAtOnce() {
		return false;
	}

	@Override
	protected LockStore createStore() {
		return this.shared.open();
	}

}
