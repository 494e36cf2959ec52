package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

@ExtendWith(RedisServerExtension.class)
class RedisLockStoreOnJedisTests extends LockStoreContract {

	private final JedisConnectionFactory connectionFactory = JedisClients.connectTo(TestRedis.shared());

	@AfterEach
	void disconnect() {
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

}
