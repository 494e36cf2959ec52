package io.github.redislock.samples.quickstart;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.Requirements;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.KqueueProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of an application that reaches Redis through a Unix domain socket. Spring Boot
 * has no property for that, so the application has a custom connection factory. The test
 * is in this module, because Lettuce needs Netty's transport for Linux, and the broker of
 * other tests brings it.
 */
@NeedsRedisServer
class UnixSocketTests {

	@Test
	void locksUseTheSocketOfTheApplication(@TempDir Path directory) {
		Requirements.need(EpollProvider.isAvailable() || KqueueProvider.isAvailable(), "locks over a Unix socket",
				"Netty has no native transport for this platform on the class path");
		Path socket = directory.resolve("redis.sock");
		try (RedisProcess redis = RedisProcess.start("unixsocket " + socket);
				RedisLockTemplate locks = new RedisLockTemplate(redis
					.connectionFactory(new LettuceConnectionFactory(new RedisSocketConfiguration(socket.toString()))));
				LockHandle lock = locks.acquire(LockTarget.of("job"),
						LockOptions.options().waitTime(Duration.ofSeconds(10)))) {
			List<String> connections = String.valueOf(redis.command("CLIENT", "LIST"))
				.lines()
				.filter((connection) -> !connection.contains(" cmd=client|list "))
				.toList();

			assertThat(lock.verify()).isTrue();
			assertThat(connections).isNotEmpty().allMatch((connection) -> connection.contains(" addr=" + socket));
		}
	}

}
