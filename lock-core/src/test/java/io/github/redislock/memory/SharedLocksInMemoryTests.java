package io.github.redislock.memory;

import io.github.redislock.LockStore;
import io.github.redislock.SharedLocksContract;

class SharedLocksInMemoryTests extends SharedLocksContract {

	private final SharedMemory shared = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.shared.open();
	}

}
