package io.github.redislock.memory;

import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.store.LockStore;

/**
 * An in-memory store for several templates, none of which closes it.
 */
final class SharedMemory {

	private final InMemoryLockStore store = new InMemoryLockStore();

	/**
	 * Return a view of the store that acquires several locks one by one.
	 */
	LockStore open() {
		return new SharedStore();
	}

	/**
	 * Return a view of the store that acquires several locks in one step.
	 */
	LockStore openForSeveral() {
		return new SharedStore() {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				return SharedMemory.this.store.groups(target);
			}

		};
	}

	private class SharedStore extends CountingStore {

		SharedStore() {
			super(SharedMemory.this.store);
		}

		@Override
		public void close() {
			// Do not close the store, because the other templates still use it.
		}

	}

}
