package io.github.redislock.redis;

import io.github.redislock.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

@ExtendWith(RedisServerExtension.class)
@Tag("thorough")
class SeveralLocksOnJedisTests extends SeveralLocksContract {

	private final JedisConnectionFactory connectionFactory = JedisClients.connectTo(TestRedis.shared());

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(this.connectionFactory, RedisLockStoreOptions.defaults());
	}

	@AfterEach
	void disconnect() {
		this.connectionFactory.destroy();
	}

}
