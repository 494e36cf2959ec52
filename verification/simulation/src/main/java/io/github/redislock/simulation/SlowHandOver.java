package io.github.redislock.simulation;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Tells the engine of a hand-over two seconds late.
 */
final class SlowHandOver extends ForwardingStore {

	private final Host host;

	SlowHandOver(LockStore store, Host host) {
		super(store);
		this.host = host;
	}

	@Override
	public Consumer<String> listen(HandOverListener listener) {
		return super.listen(new Relay(listener) {

			@Override
			public void handedOver(HandOver handOver) {
				SlowHandOver.this.host.schedule(() -> super.handedOver(handOver), Duration.ofSeconds(2));
			}

		});
	}

}
