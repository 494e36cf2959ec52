package io.github.redislock.internal.client;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Describes where the Redis of a connection factory is, without credentials.
 */
public final class RedisAddress {

	private RedisAddress() {
	}

	/**
	 * Return the address of the Redis that a connection factory connects to.
	 * @return {@code null} if the factory does not show it
	 */
	public static @Nullable String of(RedisConnectionFactory connectionFactory) {
		RedisConfiguration configuration = configuration(connectionFactory);
		if (configuration instanceof RedisSocketConfiguration socket) {
			return socket.getSocket();
		}
		if (configuration instanceof RedisSentinelConfiguration sentinel) {
			return StringUtils.collectionToCommaDelimitedString(sentinel.getSentinels());
		}
		if (configuration instanceof RedisClusterConfiguration cluster) {
			return StringUtils.collectionToCommaDelimitedString(cluster.getClusterNodes());
		}
		return (configuration instanceof RedisStandaloneConfiguration server)
				? server.getHostName() + ":" + server.getPort() : null;
	}

	/**
	 * Describe the Redis of a connection factory for people: its address, database and
	 * user, and how it is connected.
	 */
	public static String describe(RedisConnectionFactory given) {
		RedisConnectionFactory connectionFactory = Clients.behindProxies(given);
		RedisConfiguration configuration = configuration(connectionFactory);
		String user = RedisConfiguration.getUsernameOrElse(configuration, () -> "");
		String place = Objects.requireNonNullElse(of(connectionFactory), "an unknown address");
		place += (configuration instanceof RedisSentinelConfiguration sentinel)
				? ", Sentinel '%s'".formatted(Objects.requireNonNull(sentinel.getMaster()).getName()) : "";
		place += (configuration instanceof RedisClusterConfiguration) ? ", Cluster" : (configuration != null)
				? ", database " + RedisConfiguration.getDatabaseOrElse(configuration, () -> 0) : "";
		place += StringUtils.hasText(user) ? ", user '" + user + "'" : "";
		return place + (isEncrypted(connectionFactory) ? ", TLS" : "") + (isJedis(connectionFactory) ? ", Jedis" : "");
	}

	/**
	 * Return whether the connections to Redis are known to be encrypted.
	 */
	public static boolean isEncrypted(RedisConnectionFactory connectionFactory) {
		return (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& lettuce.isUseSsl())
				|| (isJedis(connectionFactory) && ((JedisConnectionFactory) connectionFactory).isUseSsl());
	}

	private static boolean isJedis(RedisConnectionFactory connectionFactory) {
		return Clients.JEDIS_PRESENT && connectionFactory instanceof JedisConnectionFactory;
	}

	/**
	 * Return the configuration of a connection factory.
	 * @return {@code null} if the factory does not show it
	 */
	public static @Nullable RedisConfiguration configuration(RedisConnectionFactory connectionFactory) {
		if (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce) {
			return LockConnectionFactory.configurationOf(lettuce);
		}
		if (!Clients.JEDIS_PRESENT || !(connectionFactory instanceof JedisConnectionFactory jedis)) {
			return null;
		}
		RedisConfiguration several = jedis.isRedisClusterAware() ? jedis.getClusterConfiguration()
				: jedis.getSentinelConfiguration();
		return (several != null) ? several : jedis.getStandaloneConfiguration();
	}

}
