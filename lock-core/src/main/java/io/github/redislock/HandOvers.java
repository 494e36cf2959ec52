package io.github.redislock;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.redislock.LockStore.HandOver;
import io.github.redislock.LockStore.HandOverListener;

/**
 * Tells this process's requests in the store that their turn has come. Thread-safe.
 */
final class HandOvers implements HandOverListener {

	private final ConcurrentMap<String, StoreWaiter> waiters = new ConcurrentHashMap<>();

	void add(String requestId, StoreWaiter waiter) {
		this.waiters.put(requestId, waiter);
	}

	void remove(String requestId) {
		this.waiters.remove(requestId);
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	@Override
	public void handedOver(HandOver handOver) {
		StoreWaiter waiter = this.waiters.get(handOver.requestId());
		// Who does not wait any more has withdrawn, which passes the lock on.
		if (waiter != null) {
			waiter.handedOver(handOver);
		}
	}

	@Override
	public void changed() {
		this.waiters.values().forEach(StoreWaiter::wake);
	}

}
