package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The contract of stores for shared locks holds over Jedis.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("thorough")
class SharedLocksOnJedisStoreTests extends SharedLocksStoreContract {

	private final JedisConnectionFactory connectionFactory = jedis(TestRedis.shared());

	@AfterEach
	@Override
	protected void closeStore() {
		super.closeStore();
		this.connectionFactory.destroy();
	}

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(this.connectionFactory, RedisLockStoreOptions.defaults());
	}

	@Override
	protected void fallSilent(LockTarget target, Duration duration) {
		Silence.of(TestRedis.shared().connectionFactory(), target, duration);
	}

	private static JedisConnectionFactory jedis(TestRedis redis) {
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
