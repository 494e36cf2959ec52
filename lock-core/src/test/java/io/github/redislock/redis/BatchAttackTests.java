package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Promises of batched renewals that are not kept yet.
 */
@NeedsRedisServer

@Timeout(120)
class BatchAttackTests {

	private static final LockOptions SHORT = LockOptions.timeout(Duration.ofSeconds(3))
		.waitTime(Duration.ofSeconds(10));

	@Test
	void locksAreRenewedOverAConnectionThatDoesNotKnowOfTheCluster() {
		try (RedisProcess node = RedisProcess.start("cluster-enabled yes", "cluster-port " + RedisProcess.freePort())) {
			node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			Awaitility.await()
				.until(() -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
			try (RedisLockTemplate locks = new RedisLockTemplate(node.connectionFactory())) {
				locks.acquire("first", SHORT).close();
				keepsAll(IntStream.range(0, 20).mapToObj((number) -> locks.acquire("lock:" + number, SHORT)).toList());
			}
		}
	}

	@Test
	void lockWithoutPermissionKeepsNoOtherFromBeingRenewed() {
		try (RedisProcess redis = RedisProcess.start()) {
			redis.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
			RedisStandaloneConfiguration login = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
			login.setUsername("app");
			login.setPassword("secret");
			try (RedisLockTemplate locks = new RedisLockTemplate(
					redis.connectionFactory(new LettuceConnectionFactory(login)))) {
				LockHandle good = locks.acquire("good", SHORT);
				locks.acquire("bad", SHORT);
				redis.command("ACL", "SETUSER", "app", "resetkeys", "~*good*");
				keepsAll(List.of(good));
			}
		}
	}

	private static void keepsAll(List<LockHandle> handles) {
		Awaitility.await("two leases")
			.during(Duration.ofSeconds(6))
			.atMost(Duration.ofSeconds(30))
			.failFast("a lock was lost", () -> !handles.stream().allMatch(LockHandle::isHeld))
			.until(() -> handles.stream().allMatch(LockHandle::isHeld));
	}

}
