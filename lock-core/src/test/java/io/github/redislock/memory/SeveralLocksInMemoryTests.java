package io.github.redislock.memory;

import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;

class SeveralLocksInMemoryTests extends SeveralLocksContract {

	private final SharedMemory shared = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.shared.openForSeveral();
	}

}
