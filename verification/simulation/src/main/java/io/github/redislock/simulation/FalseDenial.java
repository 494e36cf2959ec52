package io.github.redislock.simulation;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;

/**
 * Renews locks, but reports that they have another owner.
 */
final class FalseDenial extends ForwardingStore {

	FalseDenial(LockStore store) {
		super(store);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return super.renew(renewals).stream().map((reply) -> reply.thenApply((ours) -> false)).toList();
	}

}
