package io.github.redislock.concurrent;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class LockViewInMemoryTests extends LockViewContract {

	private final InMemoryLockStore store = new InMemoryLockStore();

	@Override
	protected LockTemplate start() {
		return new LockTemplate(new CountingStore(this.store) {

			@Override
			public void close() {
				// Do not close the store, because the other instance still uses it.
			}

		}, LockConfiguration.defaults());
	}

}
