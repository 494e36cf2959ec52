package io.github.redislock.memory;

import io.github.redislock.engine.CountingStore;
import io.github.redislock.engine.LockTemplateContract;
import io.github.redislock.store.LockStore;

class InMemoryLockTemplateTests extends LockTemplateContract {

	private final InMemoryLockStore shared = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return new CountingStore(this.shared) {

			@Override
			public void close() {
				// Do not close the store, because the other templates still use it.
			}

		};
	}

}
