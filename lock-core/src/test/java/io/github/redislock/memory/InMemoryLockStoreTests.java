package io.github.redislock.memory;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.store.StoreCalls;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InMemoryLockStoreTests extends LockStoreContract {

	private final ManualLockTimer timer = new ManualLockTimer();

	@Override
	protected LockStore createStore() {
		return new InMemoryLockStore(this.timer);
	}

	@Override
	protected void elapse(Duration duration) {
		this.timer.advance(duration);
	}

	@Test
	void expiredEntriesAreRemoved() {
		InMemoryLockStore store = new InMemoryLockStore(this.timer);

		for (int i = 0; i < 20_000; i++) {
			AcquireRequest request = new AcquireRequest(LockTarget.of("lock-" + i), "me", "request-" + i,
					Duration.ofSeconds(1));
			store.acquire(request);
			StoreCalls.withdraw(store, request);
			this.timer.advance(Duration.ofMillis(10));
		}

		// 100 locks of each kind exist at any time.
		assertThat(store.size()).isLessThan(3_000);
	}

	@Test
	void manyHeldLocksAreKept() {
		InMemoryLockStore store = new InMemoryLockStore(this.timer);

		for (int i = 0; i < 5_000; i++) {
			store.acquire(new AcquireRequest(LockTarget.of("lock-" + i), "me", "request-" + i, Duration.ofHours(1)));
		}

		assertThat(store.size()).isEqualTo(5_000);
	}

	@Test
	void closedStoreKeepsNoState() {
		InMemoryLockStore store = new InMemoryLockStore(this.timer);
		store.acquire(new AcquireRequest(LockTarget.of("order:42"), "me", "request-1", null));

		store.close();

		assertThat(store.size()).isZero();
	}

}
