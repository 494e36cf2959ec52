package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Addresses of a quorum's servers, and connections to them.
 */
class QuorumNodeAddressTests {

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			redis://a,                       a, 6379, 0, false, -,   -
			rediss://a:7000/3,               a, 7000, 3, true,  -,   -
			redis://p%40ss@a/,               a, 6379, 0, false, -,   p@ss
			rediss://:p+s@a,                 a, 6379, 0, true,  -,   p+s
			redis://u%3Aé:p:%C3%A9%25@[::1], [::1], 6379, 0, false, u:é, p:é%
			""")
	void everyPartOfAnAddressIsUsed(String address, String host, int port, int database, boolean tls, String user,
			String password) {
		LettuceConnectionFactory factory = QuorumNodeAddress.connectionFactory(address, 1, Duration.ofSeconds(3));

		assertThat(factory.getHostName()).isEqualTo(host);
		assertThat(factory.getPort()).isEqualTo(port);
		assertThat(factory.getDatabase()).isEqualTo(database);
		assertThat(factory.isUseSsl()).isEqualTo(tls);
		assertThat(factory.getStandaloneConfiguration().getUsername()).isEqualTo(user);
		assertThat(factory.getPassword()).isEqualTo(password);
		assertThat(factory.getClientConfiguration().getCommandTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(factory.getClientConfiguration().getClientOptions())
			.hasValueSatisfying((options) -> assertThat(options.getSocketOptions().getConnectTimeout()).hasSeconds(3));
	}

	@Test
	void visitedNodeIsClosed() {
		List<RedisConnectionFactory> visited = new ArrayList<>();

		QuorumStoreFactory.visit(List.of("redis://a", "redis://b"), Duration.ofSeconds(3), (node) -> {
			assertThat(node).asInstanceOf(type(LettuceConnectionFactory.class))
				.matches(LettuceConnectionFactory::isRunning);
			visited.add(node);
		});

		assertThat(visited).hasSize(2).noneMatch((node) -> ((LettuceConnectionFactory) node).isRunning());
	}

}
