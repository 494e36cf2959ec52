package io.github.redislock.memory;

import io.github.redislock.internal.engine.ReactiveLockContract;
import io.github.redislock.store.LockStore;

class InMemoryReactiveLockTests extends ReactiveLockContract {

	private final SharedMemory memory = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.memory.open();
	}

}
