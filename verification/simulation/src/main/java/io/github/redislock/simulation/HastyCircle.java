package io.github.redislock.simulation;

import io.github.redislock.store.LockStore;

/**
 * Takes each chain of waits for a circle.
 */
final class HastyCircle extends ForwardingStore {

	HastyCircle(LockStore store) {
		super(store);
	}

	@Override
	public void tell(String message) {
		super.tell(message.startsWith("chain\n") ? "circle 0" + message.substring("chain".length()) : message);
	}

}
