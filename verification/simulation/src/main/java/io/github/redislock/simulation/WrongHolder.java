package io.github.redislock.simulation;

import java.util.concurrent.CompletionStage;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Names the lock that this instance acquired last as the one for which a caller waits.
 */
final class WrongHolder extends ForwardingStore {

	private @Nullable AcquireRequest last;

	WrongHolder(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return super.acquire(request).thenApply((reply) -> {
			if (reply instanceof AcquireReply.Granted) {
				this.last = request;
			}
			return (reply instanceof AcquireReply.Held held)
					? new AcquireReply.Held(wrong(held.holder()), held.queued(), held.notified()) : reply;
		});
	}

	private LockState wrong(LockState right) {
		AcquireRequest wrong = this.last;
		return (wrong != null) ? LockState.of(wrong.target().name(), wrong.owner(), right.freeIn(), null, null,
				right.waiters(), right.held(), right.holders()) : right;
	}

}
