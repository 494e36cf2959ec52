package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockStore;
import io.github.redislock.SharedLocksStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisServerExtension.class)
class SharedLocksOnRedisStoreTests extends SharedLocksStoreContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

	@Override
	protected void elapse(Duration duration) {
		long end = System.nanoTime() + duration.plusMillis(20).toNanos();
		Awaitility.await().until(() -> System.nanoTime() - end > 0);
	}

}
