package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Reports a hand-over to the engine two seconds late.
 */
final class SlowHandOver extends ClaimMistakes.ChangedHandOver {

	private final Host host;

	SlowHandOver(LockStore store, Host host) {
		super(store);
		this.host = host;
	}

	@Override
	void handedOver(HandOver handOver, HandOverListener listener) {
		this.host.schedule(() -> listener.handedOver(handOver), Duration.ofSeconds(2));
	}

}
