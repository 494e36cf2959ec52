package io.github.redislock.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockTarget;

/**
 * Short forms of the most frequent requests to a store.
 */
public final class StoreCalls {

	private StoreCalls() {
	}

	public static CompletionStage<Boolean> renew(LockStore store, LockTarget target, String owner,
			Duration timeToLive) {
		return renew(store, new RenewRequest(target, owner, timeToLive));
	}

	public static CompletionStage<Boolean> isOwner(LockStore store, LockTarget target, String owner) {
		return renew(store, new RenewRequest(target, owner, null));
	}

	/**
	 * Withdraw a request that may still arrive.
	 */
	public static CompletionStage<Void> withdraw(LockStore store, AcquireRequest request) {
		return store.withdraw(request, Duration.ZERO, false);
	}

	/**
	 * Release a lock by force.
	 */
	public static CompletionStage<Boolean> forceRelease(LockStore store, LockTarget target) {
		return store.forceRelease(target, null);
	}

	private static CompletionStage<Boolean> renew(LockStore store, RenewRequest renewal) {
		return store.renew(List.of(renewal)).get(0);
	}

}
