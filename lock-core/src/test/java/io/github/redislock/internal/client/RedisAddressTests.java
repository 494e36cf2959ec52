package io.github.redislock.internal.client;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.redislock.testing.ForeignConnectionFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class RedisAddressTests {

	@ParameterizedTest
	@MethodSource
	void addressIsDescribedWithoutThePassword(RedisConnectionFactory connectionFactory, String description) {
		assertThat(RedisAddress.describe(connectionFactory)).isEqualTo(description);
	}

	static Stream<Arguments> addressIsDescribedWithoutThePassword() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("a", 1);
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("a:1", "b:2"));
		RedisSentinelConfiguration group = new RedisSentinelConfiguration("locks", Set.of("a:1"));
		group.setDatabase(3);
		group.setUsername("boss");
		group.setPassword("secret");
		return Stream.of(
				arguments(new LettuceConnectionFactory(new RedisSocketConfiguration("/redis.sock")),
						"/redis.sock, database 0"),
				arguments(new LettuceConnectionFactory(server, LettuceClientConfiguration.builder().useSsl().build()),
						"a:1, database 0, TLS"),
				arguments(new LettuceConnectionFactory(group), "a:1, Sentinel 'locks', database 3, user 'boss'"),
				arguments(new LettuceConnectionFactory(cluster), "a:1,b:2, Cluster"),
				arguments(new JedisConnectionFactory(server), "a:1, database 0, Jedis"),
				arguments(new JedisConnectionFactory(group), "a:1, Sentinel 'locks', database 3, user 'boss', Jedis"),
				arguments(new JedisConnectionFactory(cluster, JedisClientConfiguration.builder().useSsl().build()),
						"a:1,b:2, Cluster, TLS, Jedis"),
				arguments(new ForeignConnectionFactory(JedisConnectionFactory::new), "an unknown address"));
	}

}
