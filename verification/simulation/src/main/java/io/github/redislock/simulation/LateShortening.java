package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;

/**
 * Sends a renewal with a shorter lease after each renewal that sets a lease, and ignores
 * its reply.
 */
final class LateShortening extends ForwardingStore {

	private static final int SHORTER = 4;

	LateShortening(LockStore store) {
		super(store);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> replies = super.renew(renewals);
		for (RenewRequest renewal : renewals) {
			Duration timeToLive = renewal.timeToLive();
			if (timeToLive != null) {
				super.renew(
						List.of(new RenewRequest(renewal.target(), renewal.owner(), timeToLive.dividedBy(SHORTER))));
			}
		}
		return replies;
	}

}
