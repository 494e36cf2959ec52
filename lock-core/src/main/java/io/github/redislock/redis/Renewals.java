package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.client.RedisErrors;
import io.github.redislock.redis.client.ScriptRunner;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Renews many locks with few requests, and looks at the clock of Redis on the way.
 * Thread-safe.
 */
final class Renewals {

	private final ScriptRunner scripts;

	private final LockKeys keys;

	private final Function<@Nullable Duration, Duration> timeout;

	private final LongSupplier nanoTime;

	private final ServerClock clock = new ServerClock();

	private volatile @Nullable HandOverListener listener;

	/**
	 * Create renewals.
	 * @param timeout from the life that is asked for to the time that an answer may take
	 */
	Renewals(ScriptRunner scripts, LockKeys keys, Function<@Nullable Duration, Duration> timeout,
			LongSupplier nanoTime) {
		this.scripts = scripts;
		this.keys = keys;
		this.timeout = timeout;
		this.nanoTime = nanoTime;
	}

	/**
	 * Name who is told of steps of the clock.
	 */
	void listen(HandOverListener listener) {
		this.listener = listener;
	}

	/**
	 * Renew locks.
	 * @return the answers, in the same order
	 */
	List<CompletionStage<Boolean>> send(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> answers = new ArrayList<>(renewals.size());
		Map<Group, RenewalBatch> open = new LinkedHashMap<>();
		for (RenewRequest renewal : renewals) {
			byte[] lock = this.keys.lock(renewal.target());
			Group group = group(lock, renewal);
			RenewalBatch batch = open.computeIfAbsent(group, (key) -> new RenewalBatch(key.script(), key.timeout()));
			answers.add(batch.add(renewal, keys(renewal.target(), lock)));
			if (batch.isFull()) {
				open.remove(group);
				send(batch);
			}
		}
		open.values().forEach(this::send);
		return answers;
	}

	private Group group(byte[] lock, RenewRequest renewal) {
		// In a cluster a request may touch the keys of one slot only.
		int slot = this.scripts.countsReceivers() ? 0 : ClusterSlotHashUtil.calculateSlot(lock);
		return new Group(slot, LockScripts.of(renewal.target()).renew(), this.timeout.apply(renewal.timeToLive()));
	}

	private List<byte[]> keys(LockTarget target, byte[] lock) {
		return target.isShared()
				? List.of(lock, this.keys.fence(target), this.keys.places(target), this.keys.grants(target))
				: List.of(lock, this.keys.fence(target));
	}

	private void send(RenewalBatch batch) {
		long askedAt = this.nanoTime.getAsLong();
		run(batch).whenComplete((answer, failure) -> {
			if (failure == null) {
				List<?> fields = (List<?>) answer;
				observeClock((Long) fields.get(0), askedAt);
				batch.settle(fields);
			}
			else if (batch.isShared() && RedisErrors.concernsSomeKeys(failure)) {
				// One that Redis refuses is no reason to lose the others.
				batch.split().forEach(this::send);
			}
			else {
				batch.fail(failure);
			}
		});
	}

	private CompletableFuture<Object> run(RenewalBatch batch) {
		String[] arguments = batch.renewals()
			.stream()
			.flatMap((renewal) -> Stream.of(renewal.owner(), millis(renewal)))
			.toArray(String[]::new);
		try {
			return this.scripts.run(batch.script(), batch.keys(), RedisLockStore.arguments(arguments), batch.timeout(),
					(answer) -> ((List<?>) answer).contains(1L));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static String millis(RenewRequest renewal) {
		Duration timeToLive = renewal.timeToLive();
		return (timeToLive != null) ? RedisLockStore.millis(timeToLive) : "0";
	}

	private void observeClock(long millis, long askedAt) {
		if (!this.scripts.countsReceivers()) {
			// Each node of a cluster has a clock of its own.
			return;
		}
		Duration step = this.clock.observe(millis, askedAt, this.nanoTime.getAsLong());
		HandOverListener told = this.listener;
		if (!step.isZero() && told != null) {
			told.clockStepped(step);
		}
	}

	/**
	 * What goes together.
	 */
	private record Group(int slot, LockScript script, Duration timeout) {
	}

}
