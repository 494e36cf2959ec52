package io.github.redislock.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockTarget;
import io.github.redislock.engine.CountingStore;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * An in-memory store for several templates, all of which receive hand-overs.
 */
final class SharedMemory {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<HandOverListener> listeners = new CopyOnWriteArrayList<>();

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
		public void listen(HandOverListener listener) {
			// The store itself has only one listener.
			SharedMemory.this.listeners.add(listener);
			super.listen(new All(SharedMemory.this.listeners));
		}

		@Override
		public void close() {
			// Do not close the store, because the other templates still use it.
		}

	}

	private record All(List<HandOverListener> listeners) implements HandOverListener {

		@Override
		public void handedOver(HandOver handOver) {
			this.listeners.forEach((each) -> each.handedOver(handOver));
		}

		@Override
		public void turnHasCome(String requestId) {
			this.listeners.forEach((each) -> each.turnHasCome(requestId));
		}

		@Override
		public void changed() {
			this.listeners.forEach(HandOverListener::changed);
		}

	}

}
