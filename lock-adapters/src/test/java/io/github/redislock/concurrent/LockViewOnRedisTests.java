package io.github.redislock.concurrent;

import java.time.Duration;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisServerExtension.class)
class LockViewOnRedisTests extends LockViewContract {

	/** For a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@Override
	protected LockTemplate start() {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().commandTimeout(PATIENCE);
		return new RedisLockTemplate(RedisLockStore.create(TestRedis.shared().connectionFactory(), options),
				LockConfiguration.defaults());
	}

}
