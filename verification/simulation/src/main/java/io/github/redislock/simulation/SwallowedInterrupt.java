package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Clears the interrupt flag of a caller's thread that releases a lock.
 */
final class SwallowedInterrupt extends ForwardingStore {

	SwallowedInterrupt(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		swallow();
		return super.release(granted, keepFor);
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		swallow();
		return super.releaseQuickly(granted, fencingToken);
	}

	private static void swallow() {
		if (Caller.present() != null) {
			Thread.interrupted();
		}
	}

}
