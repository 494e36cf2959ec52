package io.github.redislock.memory;

import java.time.Duration;

import io.github.redislock.store.LockStore;
import io.github.redislock.store.SharedLocksStoreContract;

class SharedLocksInMemoryStoreTests extends SharedLocksStoreContract {

	private final ManualLockTimer timer = new ManualLockTimer();

	@Override
	protected LockStore createStore() {
		return new InMemoryLockStore(this.timer);
	}

	@Override
	protected void elapse(Duration duration) {
		this.timer.advance(duration);
	}

}
