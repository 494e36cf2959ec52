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
final class Deployments {

	private static final String IN_ONE_SLOT = "{contract}:";

	private static final Supplier<RedisCluster> CLUSTER = SingletonSupplier
		.of(() -> closedAtTheEnd(RedisCluster.start("cluster-node-timeout 15000")));

	private static final Supplier<SentinelGroup> SENTINELS = SingletonSupplier.of(() -> {
		SentinelGroup group = closedAtTheEnd(SentinelGroup.start());
		group.sentinels()
			.forEach((sentinel) -> sentinel.command("SENTINEL", "SET", SentinelGroup.NAME, "down-after-milliseconds",
					"30000"));
		return group;
	});

	private static final Supplier<RedisConnectionFactory> IN_CLUSTER = SingletonSupplier
		.of(() -> CLUSTER.get().connectionFactory());

	private static final Supplier<RedisConnectionFactory> IN_CLUSTER_BY_JEDIS = SingletonSupplier
		.of(() -> CLUSTER.get().jedisConnectionFactory());

	private static final Supplier<RedisConnectionFactory> WITH_SENTINEL = SingletonSupplier
		.of(() -> SENTINELS.get().connectionFactory());

	private Deployments() {
	}

	/**
	 * Return an application's connection factory for the Cluster.
	 */
	static RedisConnectionFactory cluster() {
		return IN_CLUSTER.get();
	}

	/**
	 * Return a connection factory that uses Jedis.
	 */
	static RedisConnectionFactory clusterByJedis() {
		return IN_CLUSTER_BY_JEDIS.get();
	}

	static LockStore inCluster() {
		return RedisLockStore.create(cluster(), RedisLockStoreOptions.defaults());
	}

	/**
	 * Return a store in the Cluster that keeps all locks in one slot, where several are
	 * acquired in one step.
	 */
	static LockStore inOneSlot(RedisConnectionFactory cluster) {
		return RedisLockStore.create(cluster, RedisLockStoreOptions.defaults().keyPrefix(IN_ONE_SLOT));
	}

	static LockStore withSentinel() {
		return RedisLockStore.create(WITH_SENTINEL.get(), RedisLockStoreOptions.defaults());
	}

	static void inOneSlotFallSilent(LockTarget target, Duration duration) {
		Silence.of(cluster(), IN_ONE_SLOT, target, duration);
	}

	static void withSentinelFallSilent(LockTarget target, Duration duration) {
		Silence.of(WITH_SENTINEL.get(), target, duration);
	}

	private static <T extends AutoCloseable> T closedAtTheEnd(T deployment) {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			try {
				deployment.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}, "deployment-stop"));
		return deployment;
	}

}
