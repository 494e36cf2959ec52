package io.github.redislock.redis.quorum;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.github.redislock.internal.client.Script;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.LockStore;

/**
 * Creates the real quorum store on simulated connections.
 */
public final class SimulatedQuorum {

	private SimulatedQuorum() {
	}

	public static Script script() {
		return QuorumNodes.RAISE;
	}

	/**
	 * Return a quorum store on several servers.
	 * @param servers the store of each server
	 * @param options the options of those stores
	 */
	public static LockStore store(List<RedisLockStore> servers, RedisLockStoreOptions options, LongSupplier nanoTime,
			RandomGenerator random, ScheduledExecutorService scheduler) {
		List<QuorumNode> nodes = IntStream.range(0, servers.size())
			.mapToObj((index) -> QuorumNodes.of("node " + (index + 1), servers.get(index)))
			.toList();
		return new QuorumLockStore(new Quorum(nodes, options.commandTimeout()),
				() -> new QuorumPauses(scheduler, nanoTime, random));
	}

}
