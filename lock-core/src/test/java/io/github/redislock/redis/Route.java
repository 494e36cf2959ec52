package io.github.redislock.redis;

import io.github.redislock.testing.ForeignConnectionFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The ways for a store to connect to Redis.
 */
enum Route {

	/** A separate connection, with options that suit locks. */
	OWN_CONNECTION,

	/**
	 * A connection factory with options that are unknown to the store.
	 */
	FOREIGN_FACTORY,

	/** A separate pool of Jedis, whose connections callers' threads use. */
	JEDIS;

	RedisConnectionFactory over(LettuceConnectionFactory application) {
		return switch (this) {
			case OWN_CONNECTION -> application;
			case FOREIGN_FACTORY -> new ForeignConnectionFactory(() -> application);
			case JEDIS -> jedis(application.getStandaloneConfiguration());
		};
	}

	/**
	 * Return a factory that need not be started, because locks have their own.
	 */
	private static JedisConnectionFactory jedis(RedisStandaloneConfiguration redis) {
		JedisConnectionFactory application = new JedisConnectionFactory(redis);
		application.afterPropertiesSet();
		return application;
	}

}
