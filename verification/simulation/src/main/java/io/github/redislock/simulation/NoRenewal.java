package io.github.redislock.simulation;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;

/**
 * Sends no renewals.
 */
final class NoRenewal extends ForwardingStore {

	NoRenewal(LockStore store) {
		super(store);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return renewals.stream().<CompletionStage<Boolean>>map((renewal) -> new CompletableFuture<>()).toList();
	}

}
