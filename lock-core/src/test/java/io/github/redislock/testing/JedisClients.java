package io.github.redislock.testing;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connection factories of applications that use Jedis.
 */
public final class JedisClients {

	private static final int USUAL = 8;

	private JedisClients() {
	}

	public static JedisConnectionFactory connectTo(TestRedis redis) {
		return connectTo(new RedisStandaloneConfiguration(redis.host(), redis.port()), USUAL);
	}

	/**
	 * Return a started factory like that of Spring Boot.
	 * @param connections how many there may be at once
	 */
	public static JedisConnectionFactory connectTo(RedisStandaloneConfiguration redis, int connections) {
		GenericObjectPoolConfig<Object> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(connections);
		pool.setJmxEnabled(false);
		JedisConnectionFactory factory = new JedisConnectionFactory(redis,
				JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
