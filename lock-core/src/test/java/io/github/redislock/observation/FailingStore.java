package io.github.redislock.observation;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;

/**
 * A store that can be switched off.
 */
final class FailingStore extends CountingStore {

	volatile boolean failing;

	FailingStore(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return this.failing ? outage(request.target()) : super.acquire(request);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return this.failing
				? renewals.stream().map((renewal) -> FailingStore.<Boolean>outage(renewal.target())).toList()
				: super.renew(renewals);
	}

	private static <T> CompletionStage<T> outage(LockTarget target) {
		return CompletableFuture.failedFuture(
				new LockStoreException(target, "No store for lock '%s'".formatted(target), null, false, true));
	}

}
