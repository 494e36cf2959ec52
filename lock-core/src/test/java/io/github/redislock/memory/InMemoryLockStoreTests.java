package io.github.redislock.memory;

import java.time.Duration;
import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
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

	/**
	 * Otherwise, two waiters for the same locks would each precede the other in one
	 * queue.
	 */
	@Test
	void waiterThatLostItsPlaceInOneQueueLosesItInAll() {
		InMemoryLockStore store = new InMemoryLockStore(this.timer);
		LockTarget first = LockTarget.of("first");
		LockTarget second = LockTarget.of("second");
		LockTarget both = LockTarget.allOf(first, second);
		AcquireRequest holder = waiting(both, "holder");
		AcquireRequest ahead = waiting(second, "ahead");
		AcquireRequest silent = waiting(both, "silent");
		AcquireRequest next = waiting(both, "next");
		List.of(holder, ahead, silent, next).forEach(store::acquire);
		this.timer.advance(Duration.ofSeconds(4));

		List.of(ahead, next, silent).forEach(store::acquire);
		StoreCalls.withdraw(store, ahead);
		store.release(holder, Duration.ZERO);

		assertThat(store.acquire(next)).isCompletedWithValueMatching(AcquireReply.Granted.class::isInstance);
	}

	private static AcquireRequest waiting(LockTarget target, String owner) {
		return new AcquireRequest(target, owner, owner, Duration.ofMinutes(1), 1, Duration.ofSeconds(1));
	}

	@Test
	void closedStoreKeepsNoState() {
		InMemoryLockStore store = new InMemoryLockStore(this.timer);
		store.acquire(new AcquireRequest(LockTarget.of("order:42"), "me", "request-1", null));
		StoreCalls.withdraw(store, new AcquireRequest(LockTarget.of("order:43"), "me", "request-2", null));

		store.close();

		assertThat(store.size()).isZero();
	}

}
