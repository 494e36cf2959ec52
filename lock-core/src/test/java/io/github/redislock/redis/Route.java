package io.github.redislock.redis;

import io.github.redislock.LockConfiguration;
import io.github.redislock.testing.ForeignConnectionFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
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
	FOREIGN_FACTORY;

	RedisLockTemplate open(LettuceConnectionFactory application, RedisLockStoreOptions options) {
		return new RedisLockTemplate(RedisLockStore.create(over(application), options), LockConfiguration.defaults());
	}

	RedisConnectionFactory over(LettuceConnectionFactory application) {
		return (this == OWN_CONNECTION) ? application : new ForeignConnectionFactory(() -> application);
	}

}
