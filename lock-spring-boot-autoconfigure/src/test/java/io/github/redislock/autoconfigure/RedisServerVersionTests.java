package io.github.redislock.autoconfigure;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;

import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.testing.RedisProgram;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisServerCommands;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how servers are recognized by their reply to {@code INFO}.
 */
@ExtendWith(RedisServerExtension.class)
class RedisServerVersionTests {

	private final Set<String> servers = new LinkedHashSet<>();

	@Test
	void versionOfTheTestServerIsKnownAndSupported(TestRedis redis) {
		assertThat(problems(redis.connectionFactory())).noneMatch((problem) -> problem.contains("has version"));

		String kind = RedisProgram.TESTED.path().toString().contains("valkey") ? "Valkey" : "Redis";
		assertThat(this.servers).singleElement().asString().matches(kind + " \\d+\\.\\d+\\.\\d+");
	}

	@Test
	void tooOldRedisIsReported() {
		assertThat(problems(server("redis_version", "6.0.16")))
			.containsExactly("Redis has version 6.0.16, but the scripts need 6.2 or later.");
		assertThat(problems(server("redis_version", "5.0.14.1"))).hasSize(1);
	}

	@Test
	void oldestSupportedRedisIsNotReported() {
		assertThat(problems(server("redis_version", "6.2.0"))).isEmpty();
	}

	@Test
	void valkeyIsReportedWithItsOwnVersion() {
		RedisConnectionFactory valkey = server("redis_version", "7.2.4", "server_name", "valkey", "valkey_version",
				"9.1.2");

		assertThat(problems(valkey)).isEmpty();
		assertThat(this.servers).containsExactly("Valkey 9.1.2");
	}

	@Test
	void versionsOfClusterNodesAreCheckedSeparately() {
		RedisConnectionFactory cluster = server("10.0.0.1:6379.redis_version", "7.2.4", "10.0.0.1:6379.valkey_version",
				"8.1.1", "10.0.0.2:6379.redis_version", "7.2.4", "10.0.0.2:6379.valkey_version", "8.1.1",
				"10.0.0.3:6379.redis_version", "6.0.1");

		assertThat(problems(cluster)).singleElement().asString().contains("6.0.1");
		assertThat(this.servers).containsExactly("Valkey 8.1.1", "Redis 6.0.1");
	}

	@Test
	void unreadableVersionIsNotReported() {
		assertThat(problems(server("redis_version", "unstable"))).isEmpty();
		assertThat(problems(server("something", "else"))).isEmpty();
	}

	private List<String> problems(RedisConnectionFactory application) {
		return new RedisServerCheck(application, RedisLockStoreOptions.defaults(), this.servers).run()
			.stream()
			.map(Finding::problem)
			.toList();
	}

	/**
	 * Return a connection to a server that only reports its name and version.
	 */
	private static RedisConnectionFactory server(String... reply) {
		Properties info = new Properties();
		for (int word = 0; word < reply.length; word += 2) {
			info.setProperty(reply[word], reply[word + 1]);
		}
		RedisServerCommands commands = fake(RedisServerCommands.class,
				(proxy, method, arguments) -> List.of(arguments).equals(List.of("server")) ? info : null);
		RedisConnection connection = fake(RedisConnection.class,
				(proxy, method, arguments) -> method.getName().equals("serverCommands") ? commands : null);
		return fake(RedisConnectionFactory.class, (proxy, method, arguments) -> connection);
	}

	private static <T> T fake(Class<T> type, InvocationHandler handler) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
	}

}
