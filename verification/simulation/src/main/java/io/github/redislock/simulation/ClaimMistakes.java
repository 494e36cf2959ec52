package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Stores that handle hand-over messages incorrectly.
 */
final class ClaimMistakes {

	private ClaimMistakes() {
	}

	private static HandOver counted(HandOver handOver, @Nullable Long from) {
		return new HandOver(handOver.requestId(), from, handOver.fencingToken());
	}

	abstract static class ChangedHandOver extends ForwardingStore {

		ChangedHandOver(LockStore store) {
			super(store);
		}

		abstract void handedOver(HandOver handOver, HandOverListener listener);

		@Override
		public void listen(HandOverListener listener) {
			super.listen(new Relay(listener) {

				@Override
				public void handedOver(HandOver handOver) {
					ChangedHandOver.this.handedOver(handOver, listener);
				}

			});
		}

	}

	/**
	 * Counts the claim from the arrival of the message.
	 */
	static final class FromArrival extends ChangedHandOver {

		private final Host host;

		FromArrival(LockStore store, Host host) {
			super(store);
			this.host = host;
		}

		@Override
		void handedOver(HandOver handOver, HandOverListener listener) {
			listener.handedOver(counted(handOver, this.host.nanoTime()));
		}

	}

	/**
	 * Counts the claim from the latest request, even if the message is about an earlier
	 * one.
	 */
	static final class FromLatest extends ChangedHandOver {

		private final Map<String, Long> latest = new HashMap<>();

		FromLatest(LockStore store) {
			super(store);
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			this.latest.put(request.requestId(), request.attempt().askedAt());
			return super.acquire(request);
		}

		@Override
		void handedOver(HandOver handOver, HandOverListener listener) {
			listener.handedOver(
					counted(handOver, FromLatest.this.latest.getOrDefault(handOver.requestId(), handOver.askedAt())));
		}

	}

	/**
	 * Treats a request without a reply as if it had never been sent, as soon as the
	 * message of the hand-over arrives.
	 */
	static final class Impatient extends ChangedHandOver {

		private final Map<String, CompletableFuture<AcquireReply>> open = new HashMap<>();

		Impatient(LockStore store) {
			super(store);
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			CompletableFuture<AcquireReply> reply = super.acquire(request).toCompletableFuture().copy();
			this.open.put(request.requestId(), reply);
			return reply;
		}

		@Override
		void handedOver(HandOver handOver, HandOverListener listener) {
			listener.handedOver(handOver);
			CompletableFuture<AcquireReply> question = this.open.get(handOver.requestId());
			if (question != null) {
				question.completeExceptionally(
						new LockStoreException(LockTarget.of("hot"), "Never sent", null, true, false));
			}
		}

	}

	/**
	 * Uses several connections, so that a release may overtake an earlier request.
	 */
	static final class Impatience implements Mistake {

		@Override
		public LockStore store(LockStore store, Host host) {
			return new Impatient(store);
		}

		@Override
		public Setting setting(Setting setting) {
			return setting.pooled(true);
		}

		@Override
		public List<Fault> faults(List<Fault> faults) {
			return List.of(Fault.LATENESS);
		}

	}

}
