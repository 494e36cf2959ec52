package io.github.redislock.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.CountingStore;
import io.github.redislock.LockStore;

/**
 * An in-memory store for several templates, all of which hear of their hand-overs.
 */
final class SharedMemory {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<LockStore.HandOverListener> listeners = new CopyOnWriteArrayList<>();

	LockStore open() {
		return new CountingStore(this.store) {

			@Override
			public void listen(HandOverListener listener) {
				// The store itself knows only one.
				SharedMemory.this.listeners.add(listener);
				super.listen(new All(SharedMemory.this.listeners));
			}

			@Override
			public void close() {
				// The other templates go on.
			}

		};
	}

	private record All(List<LockStore.HandOverListener> listeners) implements LockStore.HandOverListener {

		@Override
		public void handedOver(LockStore.HandOver handOver) {
			this.listeners.forEach((each) -> each.handedOver(handOver));
		}

		@Override
		public void changed() {
			this.listeners.forEach(LockStore.HandOverListener::changed);
		}

	}

}
