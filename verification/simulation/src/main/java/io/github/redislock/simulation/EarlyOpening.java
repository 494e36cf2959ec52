package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Releases a lock at once although its minimum hold is not over.
 */
final class EarlyOpening extends ForwardingStore {

	EarlyOpening(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return super.release(granted, Duration.ZERO);
	}

}
