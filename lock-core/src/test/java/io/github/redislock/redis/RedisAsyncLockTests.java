package io.github.redislock.redis;

import io.github.redislock.internal.engine.AsyncLockContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("thorough")
@ExtendWith(RedisServerExtension.class)
class RedisAsyncLockTests extends AsyncLockContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

}
