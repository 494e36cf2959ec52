package io.github.redislock.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * Withdraws each request as if one of its attempts could still arrive, even if all
 * attempts got a reply.
 */
final class NeedlessTombstone extends ForwardingStore {

	NeedlessTombstone(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return super.withdraw(request, keepFor, false);
	}

}
