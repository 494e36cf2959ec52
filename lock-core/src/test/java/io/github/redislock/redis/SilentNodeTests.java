package io.github.redislock.redis;

import java.time.Duration;
import java.util.Objects;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisCluster;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connection to one node of a Redis Cluster dies silently. New connections would
 * work.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
class SilentNodeTests {

	private static final String KEY = FaultyNetwork.key("job");

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(12))
		.waitTime(Duration.ofSeconds(20));

	private static RedisCluster cluster;

	private FaultProxy proxy;

	private RedisLockTemplate locks;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.startMastersBehindProxies();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		this.proxy = cluster.proxyOf(cluster.nodeOf(KEY));
		this.locks = new RedisLockTemplate(
				RedisLockStore.create(connectionFactory(),
						RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(1))),
				LockConfiguration.defaults());
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
	}

	@AfterEach
	void stop() {
		this.proxy.flow();
		this.locks.close();
	}

	@Test
	void lockIsAcquiredOnAnotherConnection() {
		this.proxy.holdReplies();
		long begin = System.nanoTime();

		try (LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT)) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
		}
	}

	@Test
	void lockIsRenewedOnAnotherConnection() {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT);

		this.proxy.holdRequests();

		await("time for it").until(() -> timeToLive() < 10_000);
		await("renewed").until(() -> timeToLive() > 12_000);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private static long timeToLive() {
		return (Long) Objects.requireNonNull(cluster.nodeOf(KEY).command("PTTL", KEY));
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20));
	}

	/**
	 * Uses options with which Lettuce hardly ever refreshes the topology.
	 */
	private static LettuceConnectionFactory connectionFactory() {
		ClusterTopologyRefreshOptions seldom = ClusterTopologyRefreshOptions.builder()
			.adaptiveRefreshTriggersTimeout(Duration.ofHours(1))
			.build();
		return cluster.connectionFactory(LettuceClientConfiguration.builder()
			.clientOptions(ClusterClientOptions.builder().topologyRefreshOptions(seldom).build())
			.build());
	}

}
