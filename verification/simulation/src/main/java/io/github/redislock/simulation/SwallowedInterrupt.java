package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Forgets that a thread was interrupted when it gives a lock back because of that.
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
