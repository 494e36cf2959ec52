package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisServerExtension.class)
class SharedLocksOnRedisStoreTests extends SharedLocksStoreContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

	@Override
	protected void fallSilent(LockTarget target, Duration duration) {
		Silence.of(TestRedis.shared().connectionFactory(), target, duration);
	}

}
