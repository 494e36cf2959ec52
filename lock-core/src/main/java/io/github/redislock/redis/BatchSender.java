package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.RedisErrors;
import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.store.RenewRequest;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Sends renewals in batches. Thread-safe.
 */
final class BatchSender {

	/** The maximum size, because all other commands wait while Redis runs a batch. */
	private static final int LARGEST_BATCH = 200;

	private final ScriptRunner scripts;

	private final ScriptCalls calls;

	private final RedisLockStoreOptions options;

	BatchSender(ScriptRunner scripts, RedisLockStoreOptions options) {
		this.scripts = scripts;
		this.calls = new ScriptCalls(new LockKeys(options.keyPrefix()), options);
		this.options = options;
	}

	List<CompletionStage<Boolean>> send(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> replies = new ArrayList<>(renewals.size());
		Map<Group, Batch> open = new LinkedHashMap<>();
		for (RenewRequest renewal : renewals) {
			ScriptCall call = this.calls.renew(renewal);
			Group group = group(call, renewal);
			Batch batch = open.computeIfAbsent(group, (key) -> new Batch(key.timeout()));
			replies.add(batch.add(renewal.target(), call));
			if (batch.parts.size() == LARGEST_BATCH) {
				open.remove(group);
				send(batch);
			}
		}
		open.values().forEach(this::send);
		return replies;
	}

	private Group group(ScriptCall call, RenewRequest renewal) {
		// In a cluster, a script may use the keys of one slot only.
		int slot = this.scripts.countsReceivers() ? 0 : ClusterSlotHashUtil.calculateSlot(call.seal().keys().get(0));
		return new Group(slot, call.script(), this.options.timeout(renewal));
	}

	private void send(Batch batch) {
		run(batch).whenComplete((reply, failure) -> {
			if (failure == null) {
				batch.settle((List<?>) reply);
			}
			else if (batch.parts.size() > 1 && RedisErrors.concernsSomeKeys(failure)) {
				// Redis refused the batch, perhaps because of one renewal, so send each
				// one separately.
				batch.split().forEach(this::send);
			}
			else {
				batch.fail(failure);
			}
		});
	}

	private CompletableFuture<Object> run(Batch batch) {
		Duration timeout = batch.timeout;
		return Futures.attempt(() -> this.scripts.run(batch.call(), timeout, this.scripts.sendTimeout(timeout),
				(reply) -> ((List<?>) reply).contains(1L)));
	}

	/**
	 * What the requests of a batch have in common.
	 */
	private record Group(int slot, Script script, Duration timeout) {
	}

	/**
	 * Renewals that are sent with one script call.
	 */
	private static final class Batch {

		private final List<Part> parts = new ArrayList<>();

		private final Duration timeout;

		Batch(Duration timeout) {
			this.timeout = timeout;
		}

		CompletableFuture<Boolean> add(LockTarget target, ScriptCall call) {
			CompletableFuture<Boolean> reply = new CompletableFuture<>();
			this.parts.add(new Part(target, call, reply));
			return reply;
		}

		/**
		 * Return a batch for each request. The requests keep their futures.
		 */
		List<Batch> split() {
			return this.parts.stream().map((part) -> {
				Batch single = new Batch(this.timeout);
				single.parts.add(part);
				return single;
			}).toList();
		}

		ScriptCall call() {
			return ScriptCalls.joined(this.parts.stream().map(Part::call).toList());
		}

		/**
		 * Complete the requests.
		 * @param reply the result of the script: one for each request
		 */
		void settle(List<?> reply) {
			if (reply.size() != this.parts.size()) {
				fail(new IllegalStateException(
						"Redis sent %s replies to %s renewals".formatted(reply.size(), this.parts.size())));
				return;
			}
			for (int index = 0; index < this.parts.size(); index++) {
				this.parts.get(index).reply().complete(isOwners(reply, index));
			}
		}

		/**
		 * Fail the requests. If only acknowledgements of replicas are missing, the script
		 * has run: a request whose owner no longer holds the lock completes with
		 * {@code false}.
		 */
		void fail(Throwable failure) {
			List<?> reply = RedisErrors.replyWithoutReplicas(failure);
			for (int index = 0; index < this.parts.size(); index++) {
				Part part = this.parts.get(index);
				if (reply != null && !isOwners(reply, index)) {
					part.reply().complete(false);
				}
				else {
					part.reply().completeExceptionally(translate(part, failure));
				}
			}
		}

		private static boolean isOwners(List<?> reply, int index) {
			return (Long) reply.get(index) == 1;
		}

		private LockException translate(Part part, Throwable failure) {
			String key = LockKeys.text(part.call().seal().keys().get(0));
			return RedisErrors.translate("renew", part.target(), key, this.timeout, failure);
		}

		/**
		 * One request, and its reply.
		 */
		private record Part(LockTarget target, ScriptCall call, CompletableFuture<Boolean> reply) {
		}

	}

}
