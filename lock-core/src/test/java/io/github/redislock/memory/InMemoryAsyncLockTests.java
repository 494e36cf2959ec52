package io.github.redislock.memory;

import io.github.redislock.internal.engine.AsyncLockContract;
import io.github.redislock.store.LockStore;

class InMemoryAsyncLockTests extends AsyncLockContract {

	private final SharedMemory memory = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.memory.open();
	}

}
