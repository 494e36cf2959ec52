package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import io.github.redislock.internal.redis.RedisErrors;
import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Sends renewals in batches, and detects steps of the clock of Redis in the replies.
 * Thread-safe.
 */
final class BatchSender {

	private final ScriptRunner scripts;

	private final ScriptCalls calls;

	private final RedisLockStoreOptions options;

	private final LongSupplier nanoTime;

	private final ServerClock clock = new ServerClock();

	private volatile @Nullable HandOverListener listener;

	BatchSender(ScriptRunner scripts, RedisLockStoreOptions options, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.calls = new ScriptCalls(new LockKeys(options.keyPrefix()), options);
		this.options = options;
		this.nanoTime = nanoTime;
	}

	/**
	 * Set the listener for steps of the clock.
	 */
	void listen(HandOverListener listener) {
		this.listener = listener;
	}

	/**
	 * Renew locks.
	 * @return the results, in the order of the renewals
	 */
	List<CompletionStage<Boolean>> send(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> replies = new ArrayList<>(renewals.size());
		Map<Group, RenewBatch> open = new LinkedHashMap<>();
		for (RenewRequest renewal : renewals) {
			ScriptCall call = this.calls.renew(renewal);
			Group group = group(call, renewal);
			RenewBatch batch = open.computeIfAbsent(group, (key) -> new RenewBatch(key.timeout()));
			replies.add(batch.add(renewal.target(), call));
			if (batch.isFull()) {
				open.remove(group);
				send(batch);
			}
		}
		open.values().forEach(this::send);
		return replies;
	}

	private Group group(ScriptCall call, RenewRequest renewal) {
		// In a cluster, a script may use the keys of one slot only.
		int slot = this.scripts.countsReceivers() ? 0 : ClusterSlotHashUtil.calculateSlot(call.keys().get(0));
		return new Group(slot, call.script(), this.options.timeout(renewal));
	}

	private void send(RenewBatch batch) {
		long askedAt = this.nanoTime.getAsLong();
		run(batch).whenComplete((reply, failure) -> {
			if (failure == null) {
				List<?> fields = (List<?>) reply;
				observeClock((Long) fields.get(0), askedAt);
				batch.settle(fields);
			}
			else if (batch.isSeveral() && RedisErrors.concernsSomeKeys(failure)) {
				// Redis refused the batch, perhaps because of one renewal, so send each
				// one separately.
				batch.split().forEach(this::send);
			}
			else {
				batch.fail(failure);
			}
		});
	}

	private CompletableFuture<Object> run(RenewBatch batch) {
		Duration timeout = batch.timeout();
		try {
			return this.scripts.run(batch.call(), timeout, this.scripts.patience(timeout),
					(reply) -> ((List<?>) reply).contains(1L));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void observeClock(long millis, long askedAt) {
		if (!this.scripts.countsReceivers()) {
			// Each node of a cluster has its own clock.
			return;
		}
		Duration step = this.clock.observe(millis, askedAt, this.nanoTime.getAsLong());
		HandOverListener told = this.listener;
		if (!step.isZero() && told != null) {
			told.clockStepped(step);
		}
	}

	/**
	 * What the requests of a batch have in common.
	 */
	private record Group(int slot, Script script, Duration timeout) {
	}

}
