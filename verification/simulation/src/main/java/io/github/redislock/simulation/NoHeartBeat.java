package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Sends no further attempt of a request that was refused and waits for a message, but
 * repeats the refusal until the message arrives.
 */
final class NoHeartBeat extends ForwardingStore {

	private final Map<String, AcquireReply> replies = new HashMap<>();

	NoHeartBeat(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		AcquireReply known = this.replies.get(request.requestId());
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		return super.acquire(request).whenComplete((reply, failure) -> {
			if (reply instanceof AcquireReply.Held held && held.notified()) {
				this.replies.put(request.requestId(), reply);
			}
		});
	}

	@Override
	public void listen(HandOverListener listener) {
		super.listen(new Relay(listener) {

			@Override
			public void handedOver(HandOver handOver) {
				NoHeartBeat.this.replies.remove(handOver.requestId());
				super.handedOver(handOver);
			}

			@Override
			public void turnHasCome(String requestId) {
				NoHeartBeat.this.replies.remove(requestId);
				super.turnHasCome(requestId);
			}

		});
	}

}
