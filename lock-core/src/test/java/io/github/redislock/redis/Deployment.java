package io.github.redislock.redis;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.SentinelGroup;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * A Cluster and a group of sentinels that all contract tests of this JVM share. No test
 * breaks their nodes, and no node is considered dead on a busy machine.
 */
enum Deployment {

	SENTINEL(() -> Servers.SENTINELS.get().connectionFactory(), "distributed_lock:"),

	CLUSTER(() -> Servers.CLUSTER.get().connectionFactory(), "{contract}:"),

	CLUSTER_BY_JEDIS(() -> Servers.CLUSTER.get().jedisConnectionFactory(), "{contract}:");

	private final Supplier<RedisConnectionFactory> connectionFactory;

	private final RedisLockStoreOptions inOneSlot;

	Deployment(Supplier<RedisConnectionFactory> connectionFactory, String prefixOfOneSlot) {
		this.connectionFactory = SingletonSupplier.of(connectionFactory);
		this.inOneSlot = RedisLockStoreOptions.defaults().keyPrefix(prefixOfOneSlot);
	}

	/**
	 * Return an application's connection factory.
	 */
	RedisConnectionFactory connectionFactory() {
		return this.connectionFactory.get();
	}

	LockStore store() {
		return RedisLockStore.create(connectionFactory(), RedisLockStoreOptions.defaults());
	}

	/**
	 * Return a store that keeps all locks in one slot, where several are acquired in one
	 * step.
	 */
	LockStore storeInOneSlot() {
		return RedisLockStore.create(connectionFactory(), this.inOneSlot);
	}

	void fallSilent(LockTarget target, Duration duration) {
		Silence.of(connectionFactory(), this.inOneSlot.keyPrefix(), target, duration);
	}

	/**
	 * The servers, started on first use.
	 */
	private static final class Servers {

		private static final Supplier<RedisCluster> CLUSTER = SingletonSupplier
			.of(() -> closedAtTheEnd(RedisCluster.start("cluster-node-timeout 15000")));

		private static final Supplier<SentinelGroup> SENTINELS = SingletonSupplier.of(() -> {
			SentinelGroup group = closedAtTheEnd(SentinelGroup.start());
			group.sentinels()
				.forEach((sentinel) -> sentinel.command("SENTINEL", "SET", SentinelGroup.NAME,
						"down-after-milliseconds", "30000"));
			return group;
		});

		private static <T extends AutoCloseable> T closedAtTheEnd(T servers) {
			Runtime.getRuntime().addShutdownHook(new Thread(() -> {
				try {
					servers.close();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}, "deployment-stop"));
			return servers;
		}

	}

}
