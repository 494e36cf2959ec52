package io.github.redislock.internal.client;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import javax.management.ObjectName;

import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(RedisServerExtension.class)
class JedisLockConnectionsTests {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	@Test
	void unreachableSentinelIsNoticedWhenAConnectionIsNeeded() {
		RedisSentinelConfiguration unreachable = new RedisSentinelConfiguration("locks", Set.of("127.0.0.1:1"));
		try (JedisLockConnections connections = deriveFrom(new JedisConnectionFactory(unreachable))) {
			assertThatThrownBy(connections::open).hasMessageContaining("All sentinels down");
		}
	}

	/**
	 * The other connections are for the threads of the runner and for the subscription.
	 */
	@Test
	void callersUseThreeConnectionsAtMostAndOpenNone(TestRedis redis) {
		try (JedisLockConnections connections = deriveFrom(redis)) {
			RedisConnection first = connections.open();
			assertThat(connections.openIdle(TIMEOUT)).as("none is idle").isNull();

			List<RedisConnection> others = open(connections, 3);
			first.close();
			assertThat(connections.openIdle(TIMEOUT)).as("three are in use").isNull();

			others.get(0).close();
			try (RedisConnection third = connections.openIdle(TIMEOUT)) {
				assertThat(third).isNotNull();
			}
			others.subList(1, 3).forEach(RedisConnection::close);
		}
	}

	@Test
	void waitForAConnectionEndsWithTheTimeout(TestRedis redis) {
		try (JedisLockConnections connections = deriveFrom(redis)) {
			List<RedisConnection> all = open(connections, connections.idle());

			assertThat(CompletableFuture.supplyAsync(connections::open, OwnThread::run))
				.failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withRootCauseInstanceOf(NoSuchElementException.class);

			all.forEach(RedisConnection::close);
		}
	}

	@Test
	void poolIsNotRegisteredInJmx(TestRedis redis) throws Exception {
		Set<ObjectName> before = pools();
		try (JedisLockConnections connections = deriveFrom(redis)) {
			connections.open().close();

			assertThat(pools()).isEqualTo(before);
		}
	}

	private static JedisLockConnections deriveFrom(TestRedis redis) {
		return deriveFrom(new JedisConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port())));
	}

	private static JedisLockConnections deriveFrom(JedisConnectionFactory application) {
		ClientSettings settings = new ClientSettings("test", TIMEOUT, 0, false, "lock:", List.of());
		return Objects.requireNonNull(JedisLockConnections.deriveFrom(application, settings, false));
	}

	private static List<RedisConnection> open(JedisLockConnections connections, int count) {
		return Stream.generate(connections::open).limit(count).toList();
	}

	private static Set<ObjectName> pools() throws Exception {
		return ManagementFactory.getPlatformMBeanServer()
			.queryNames(new ObjectName("org.apache.commons.pool2:*"), null);
	}

}
