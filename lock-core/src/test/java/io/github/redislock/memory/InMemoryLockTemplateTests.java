package io.github.redislock.memory;

import io.github.redislock.CountingStore;
import io.github.redislock.LockStore;
import io.github.redislock.LockTemplateContract;

class InMemoryLockTemplateTests extends LockTemplateContract {

	private final InMemoryLockStore shared = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return new CountingStore(this.shared) {

			@Override
			public void close() {
				// The other templates of the test go on.
			}

		};
	}

}
