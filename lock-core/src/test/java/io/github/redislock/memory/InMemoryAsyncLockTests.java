package io.github.redislock.memory;

import io.github.redislock.AsyncLockContract;
import io.github.redislock.LockStore;

class InMemoryAsyncLockTests extends AsyncLockContract {

	private final SharedMemory memory = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.memory.open();
	}

}
