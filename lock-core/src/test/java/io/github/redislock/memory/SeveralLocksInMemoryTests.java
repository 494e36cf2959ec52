package io.github.redislock.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockTarget;
import io.github.redislock.engine.CountingStore;
import io.github.redislock.engine.SeveralLocksContract;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

class SeveralLocksInMemoryTests extends SeveralLocksContract {

	private final InMemoryLockStore shared = new InMemoryLockStore();

	private final List<HandOverListener> listeners = new CopyOnWriteArrayList<>();

	@Override
	protected LockStore createStore() {
		return new SharedStore();
	}

	private void tellAll() {
		this.shared.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				SeveralLocksInMemoryTests.this.listeners.forEach((listener) -> listener.handedOver(handOver));
			}

			@Override
			public void turnHasCome(String requestId) {
				SeveralLocksInMemoryTests.this.listeners.forEach((listener) -> listener.turnHasCome(requestId));
			}

			@Override
			public void changed() {
				SeveralLocksInMemoryTests.this.listeners.forEach(HandOverListener::changed);
			}

		});
	}

	/**
	 * One of several stores that share locks, each with the listener of its template.
	 * Acquires several locks at once.
	 */
	class SharedStore extends CountingStore {

		SharedStore() {
			super(SeveralLocksInMemoryTests.this.shared);
		}

		@Override
		public void listen(HandOverListener listener) {
			SeveralLocksInMemoryTests.this.listeners.add(listener);
			tellAll();
		}

		@Override
		public List<LockTarget> groups(LockTarget target) {
			return SeveralLocksInMemoryTests.this.shared.groups(target);
		}

		@Override
		public void close() {
			// Do not close the store, because the other templates still use it.
		}

	}

}
