package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;

/**
 * Repeats its first answer to a request until a message says that its turn has come.
 */
final class NoHeartBeat extends ForwardingStore {

	private final Map<String, AcquireAnswer> answers = new HashMap<>();

	NoHeartBeat(LockStore store) {
		super(store);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		AcquireAnswer known = this.answers.get(request.requestId());
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		return super.acquire(request).whenComplete((answer, failure) -> {
			if (answer instanceof AcquireAnswer.Held held && held.told()) {
				this.answers.put(request.requestId(), answer);
			}
		});
	}

	@Override
	public Consumer<String> listen(HandOverListener listener) {
		return super.listen(new Relay(listener) {

			@Override
			public void handedOver(HandOver handOver) {
				NoHeartBeat.this.answers.remove(handOver.requestId());
				super.handedOver(handOver);
			}

			@Override
			public void turnHasCome(String requestId) {
				NoHeartBeat.this.answers.remove(requestId);
				super.turnHasCome(requestId);
			}

		});
	}

}
