package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Drops the release when an interrupted caller releases a lock that it was granted at the
 * same moment.
 */
final class KeptGrant extends ForwardingStore {

	KeptGrant(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		Caller caller = Caller.present();
		return (caller != null && caller.givesBack()) ? CompletableFuture.completedFuture(true)
				: super.release(granted, keepFor);
	}

}
