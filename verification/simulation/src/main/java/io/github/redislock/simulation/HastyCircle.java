package io.github.redislock.simulation;

import java.util.function.Consumer;

import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Sends each chain of waits as a circle, that is, as a deadlock.
 */
final class HastyCircle extends ForwardingStore {

	HastyCircle(LockStore store) {
		super(store);
	}

	@Override
	public Consumer<String> listen(HandOverListener listener) {
		Consumer<String> others = super.listen(listener);
		return (message) -> others.accept(message.replaceFirst("^chain\n", "circle\n"));
	}

}
