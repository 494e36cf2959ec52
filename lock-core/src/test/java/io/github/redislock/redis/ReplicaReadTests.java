package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;
import io.lettuce.core.ReadFrom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that reads from replicas sends lock requests only to masters, because
 * the data of a replica may be stale.
 */
@NeedsRedisServer
@Tag("fault")
class ReplicaReadTests {

	private static final LettuceClientConfiguration FROM_REPLICAS = LettuceClientConfiguration.builder()
		.readFrom(ReadFrom.REPLICA)
		.build();

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofSeconds(20));

	@ParameterizedTest
	@EnumSource(Route.class)
	void noReplicaIsReadWithSentinel(Route route) {
		try (SentinelGroup group = SentinelGroup.start()) {
			assertNoReplicaIsAsked(route, group.connectionFactory(FROM_REPLICAS), group.replicas());
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void noReplicaIsReadWithAStaticMasterReplicaSetup(Route route) {
		try (SentinelGroup group = SentinelGroup.start()) {
			RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
					group.master().port());
			group.replicas().forEach((replica) -> servers.addNode("127.0.0.1", replica.port()));
			LettuceConnectionFactory factory = new LettuceConnectionFactory(servers, FROM_REPLICAS);
			group.master().connectionFactory(factory);
			assertNoReplicaIsAsked(route, factory, group.replicas());
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void noReplicaIsReadInACluster(Route route) {
		try (RedisCluster cluster = RedisCluster.start()) {
			List<RedisProcess> replicas = cluster.masters().stream().map(cluster::replicaOf).toList();
			assertNoReplicaIsAsked(route, cluster.connectionFactory(FROM_REPLICAS), replicas);
		}
	}

	private static void assertNoReplicaIsAsked(Route route, LettuceConnectionFactory application,
			List<RedisProcess> replicas) {
		replicas.forEach((replica) -> replica.command("CONFIG", "RESETSTAT"));
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(application));
				RedisLockTemplate others = new RedisLockTemplate(route.over(application))) {
			LockHandle lock = locks.acquire(LockTarget.of("job"), PATIENT);
			assertThat(others.isLocked(LockTarget.of("job"))).isTrue();
			assertThat(others.inspect(LockTarget.of("job"))).isPresent();
			assertThat(lock.verify()).isTrue();
			lock.renew();
			CompletableFuture<LockHandle> waiter = CompletableFuture
				.supplyAsync(() -> others.acquire(LockTarget.of("job"), PATIENT), OwnThread::run);
			lock.close();
			assertThat(waiter).succeedsWithin(Duration.ofSeconds(20));
			waiter.join().close();
			assertThat(locks.isLocked(LockTarget.of("job"))).isFalse();
			assertThat(locks.forceRelease(LockTarget.of("job"))).isFalse();
		}
		assertThat(replicas).isNotEmpty().allSatisfy((replica) -> {
			Map<String, Long> counts = replica.commandCounts();
			assertThat(counts).doesNotContainKeys("evalsha", "eval", "evalsha_ro", "eval_ro");
		});
	}

}
