package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Clears the interrupt flag of a thread that releases a lock because of an interrupt.
 */
final class SwallowedInterrupt extends ForwardingStore {

	SwallowedInterrupt(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		if (Caller.present() != null) {
			Thread.interrupted();
		}
		return super.release(granted, keepFor);
	}

}
