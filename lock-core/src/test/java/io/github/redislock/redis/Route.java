package io.github.redislock.redis;

import io.github.redislock.testing.ForeignConnectionFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The ways from a store to Redis.
 */
enum Route {

	/** A connection of the store's own, with options that suit locks. */
	OWN_CONNECTION,

	/**
	 * A connection factory of which the store knows nothing, its options least of all.
	 */
	FOREIGN_FACTORY;

	RedisConnectionFactory over(LettuceConnectionFactory application) {
		return (this == OWN_CONNECTION) ? application : new ForeignConnectionFactory(() -> application);
	}

}
