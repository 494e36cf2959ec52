package io.github.redislock.redis;

import io.github.redislock.AsyncLockContract;
import io.github.redislock.LockStore;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisServerExtension.class)
class RedisAsyncLockOnBlockingFactoryTests extends AsyncLockContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(new ForeignConnectionFactory(TestRedis.shared()::connectionFactory),
				RedisLockStoreOptions.defaults());
	}

}
