package io.github.redislock.redis;

import io.github.redislock.testing.ForeignConnectionFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The ways in which a store connects to Redis.
 */
enum Route {

	/** A separate connection, with options that suit locks. */
	OWN_CONNECTION,

	/**
	 * A connection factory whose options the store does not know.
	 */
	FOREIGN_FACTORY;

	RedisConnectionFactory over(LettuceConnectionFactory application) {
		return (this == OWN_CONNECTION) ? application : new ForeignConnectionFactory(() -> application);
	}

}
