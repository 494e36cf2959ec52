package io.github.redislock.simulation;

import java.util.function.Consumer;

import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Tells no other instance of a chain of waits.
 */
final class SilentChains extends ForwardingStore {

	SilentChains(LockStore store) {
		super(store);
	}

	@Override
	public Consumer<String> listen(HandOverListener listener) {
		super.listen(listener);
		return (message) -> {
		};
	}

}
