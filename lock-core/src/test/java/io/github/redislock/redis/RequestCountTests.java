package io.github.redislock.redis;

import java.time.Duration;
import java.util.Map;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a lock costs Redis, counted by Redis itself.
 */
@NeedsRedisServer
class RequestCountTests {

	private static final int PAIRS = 100;

	@ParameterizedTest
	@EnumSource(Route.class)
	void freeLockTakesTwoRequestsAndAtMostTenCommands(Route route) {
		try (RedisProcess redis = RedisProcess.start();
				RedisLockTemplate locks = new RedisLockTemplate(route.over(redis.connectionFactory()))) {
			locks.acquire("warm-up", LockOptions.defaults().waitTime(Duration.ofSeconds(10))).close();
			redis.command("CONFIG", "RESETSTAT");

			for (int pair = 0; pair < PAIRS; pair++) {
				LockHandle lock = locks.acquire("free-" + pair);
				lock.close();
			}

			Map<String, Long> counts = redis.commandCounts();
			counts.keySet().removeIf((name) -> name.startsWith("config") || name.equals("info"));
			System.out.println("[request count] " + PAIRS + " pairs, " + route + ": " + counts);
			assertThat(counts.get("evalsha")).isEqualTo(2L * PAIRS);
			assertThat(counts).doesNotContainKeys("eval", "ping", "script", "hello", "client");
			long commands = counts.values().stream().mapToLong(Long::longValue).sum();
			assertThat(commands).isLessThanOrEqualTo(10L * PAIRS);
		}
	}

}
