package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;

/**
 * Lets each renewal be followed by one with a shorter lease, whose answer nobody hears.
 */
final class LateShortening extends ForwardingStore {

	private static final int SHORTER = 4;

	LateShortening(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		CompletionStage<Boolean> answer = super.renew(target, owner, timeToLive);
		super.renew(target, owner, timeToLive.dividedBy(SHORTER));
		return answer;
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> answers = super.renewAll(renewals);
		for (RenewRequest renewal : renewals) {
			Duration timeToLive = renewal.timeToLive();
			if (timeToLive != null) {
				super.renew(renewal.target(), renewal.owner(), timeToLive.dividedBy(SHORTER));
			}
		}
		return answers;
	}

}
