package io.github.redislock.redis;

import io.github.redislock.internal.engine.SharedLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisServerExtension.class)
class SharedLocksOnRedisTests extends SharedLocksContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

}
