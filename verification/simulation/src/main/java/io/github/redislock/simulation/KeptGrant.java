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
		return isKept() ? CompletableFuture.completedFuture(true) : super.release(granted, keepFor);
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		return isKept() ? CompletableFuture.completedFuture(true) : super.releaseQuickly(granted, fencingToken);
	}

	private static boolean isKept() {
		Caller caller = Caller.present();
		return caller != null && caller.givesBack();
	}

}
