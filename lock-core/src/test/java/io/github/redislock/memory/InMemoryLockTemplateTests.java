package io.github.redislock.memory;

import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.store.LockStore;

class InMemoryLockTemplateTests extends LockTemplateContract {

	private final SharedMemory memory = new SharedMemory();

	@Override
	protected LockStore createStore() {
		return this.memory.open();
	}

}
