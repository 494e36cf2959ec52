package io.github.redislock.simulation;

import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.StoreStatus;

/**
 * Reports no forced releases to the engine, although its status says that it does.
 */
final class DeafToForce extends ForwardingStore {

	DeafToForce(LockStore store) {
		super(store);
	}

	@Override
	public void listen(HandOverListener listener) {
		super.listen(new Relay(listener) {

			@Override
			public void takenByForce(String lockName) {
				// The notice is dropped on purpose.
			}

		});
	}

	@Override
	public StoreStatus status(boolean passing) {
		return StoreStatus.NOTIFIED;
	}

}
