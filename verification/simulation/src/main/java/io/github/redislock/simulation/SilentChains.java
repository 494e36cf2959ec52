package io.github.redislock.simulation;

import java.util.function.Consumer;

import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Sends no chains of waits to other instances.
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
