package io.github.redislock.memory;

import io.github.redislock.LockStore;
import io.github.redislock.ReactiveLockContract;

class InMemoryReactiveLockTests extends ReactiveLockContract {

	private final SharedMemory memory = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.memory.open();
	}

}
