package io.github.redislock.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Sends renewals in batches. Thread-safe.
 */
final class RenewalBatches {

	/** The maximum size, because all other commands wait while Redis runs a batch. */
	private static final int LARGEST_BATCH = 200;

	private final ScriptRunner scripts;

	private final ScriptCalls calls;

	private final RedisLockStoreOptions options;

	RenewalBatches(ScriptRunner scripts, RedisLockStoreOptions options) {
		this.scripts = scripts;
		this.calls = new ScriptCalls(new LockKeys(options.keyPrefix()), options);
		this.options = options;
	}

	List<CompletionStage<Boolean>> send(List<RenewRequest> renewals) {
		List<Part> parts = renewals.stream().map(this::part).toList();
		Map<Group, List<Part>> groups = parts.stream()
			.collect(Collectors.groupingBy(this::group, LinkedHashMap::new, Collectors.toList()));
		groups.forEach((group, all) -> {
			for (int begin = 0; begin < all.size(); begin += LARGEST_BATCH) {
				send(all.subList(begin, Math.min(begin + LARGEST_BATCH, all.size())), group.timeout());
			}
		});
		return parts.stream().<CompletionStage<Boolean>>map(Part::reply).toList();
	}

	private Part part(RenewRequest renewal) {
		Operation operation = new Operation("renew", renewal.target(), this.options.timeout(renewal));
		return new Part(operation, this.calls.renew(renewal), new CompletableFuture<>());
	}

	private Group group(Part part) {
		ScriptCall call = part.call();
		// In a cluster, a script may use the keys of one slot only.
		int slot = this.scripts.countsReceivers() ? 0 : ClusterSlotHashUtil.calculateSlot(call.seal().keys().get(0));
		return new Group(slot, call.script(), part.operation().timeout());
	}

	private void send(List<Part> batch, Duration timeout) {
		ScriptCall call = ScriptCalls.joined(batch.stream().map(Part::call).toList());
		Futures
			.attempt(() -> this.scripts.run(call, timeout, this.scripts.sendTimeout(timeout),
					(reply) -> ((List<?>) reply).contains(1L)))
			.whenComplete((reply, failure) -> {
				if (failure != null && batch.size() > 1 && RedisErrors.concernsSomeKeys(failure)) {
					// Redis refused the batch, perhaps because of one renewal, so send
					// each one separately.
					batch.forEach((part) -> send(List.of(part), timeout));
				}
				else if (failure == null && (!(reply instanceof List<?> replies) || replies.size() != batch.size())) {
					settle(batch, null, new IllegalStateException("Redis replied %s".formatted(reply)));
				}
				else {
					settle(batch, reply, failure);
				}
			});
	}

	/**
	 * Complete the renewals of a batch. If only acknowledgements of replicas are missing,
	 * the script has run: a renewal whose owner no longer holds the lock completes with
	 * {@code false}.
	 */
	private static void settle(List<Part> batch, @Nullable Object reply, @Nullable Throwable failure) {
		List<?> replies = (failure != null) ? RedisErrors.replyWithoutReplicas(failure) : (List<?>) reply;
		for (int index = 0; index < batch.size(); index++) {
			Part part = batch.get(index);
			boolean ours = replies == null || ScriptReplies.isOne(replies.get(index));
			if (failure != null && ours) {
				part.reply().completeExceptionally(part.operation().translate(part.call(), failure));
			}
			else {
				part.reply().complete(ours);
			}
		}
	}

	/**
	 * What the renewals of a batch have in common.
	 */
	private record Group(int slot, Script script, Duration timeout) {
	}

	/**
	 * One renewal, and its reply.
	 */
	private record Part(Operation operation, ScriptCall call, CompletableFuture<Boolean> reply) {
	}

}
