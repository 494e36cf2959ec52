package io.github.redislock.memory;

import io.github.redislock.internal.engine.SharedLocksContract;
import io.github.redislock.store.LockStore;

class SharedLocksInMemoryTests extends SharedLocksContract {

	private final SharedMemory shared = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.shared.open();
	}

}
