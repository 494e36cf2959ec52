package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldReply;

/**
 * Uses one owner token for all requests of an instance.
 */
final class OneOwner extends ForwardingStore {

	OneOwner(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return super.acquire(common(request));
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return super.renew(renewals.stream()
			.map((renewal) -> new RenewRequest(renewal.target(), common(renewal.owner()), renewal.timeToLive(),
					renewal.within()))
			.toList());
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return super.release(common(granted), keepFor);
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		return super.releaseQuickly(common(granted), fencingToken);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return super.yieldAndAcquire(common(granted), common(next));
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return super.withdraw(common(request), keepFor, replied);
	}

	private static AcquireRequest common(AcquireRequest request) {
		return new AcquireRequest(request.target(), common(request.owner()), request.requestId(), request.timeToLive(),
				request.tokens(), request.claim(), request.attempt());
	}

	private static String common(String owner) {
		return owner.substring(0, owner.indexOf('/') + 1) + "always-the-same";
	}

}
