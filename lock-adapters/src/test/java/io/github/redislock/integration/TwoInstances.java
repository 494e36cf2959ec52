package io.github.redislock.integration;

import java.time.Duration;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.TestRedis;

/**
 * Two instances of an application with one Redis.
 */
final class TwoInstances implements AutoCloseable {

	final LockTemplate one = start();

	final LockTemplate other = start();

	private static LockTemplate start() {
		// For a busy machine.
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10));
		LockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(TestRedis.shared().connectionFactory(), options), LockConfiguration.defaults());
		locks.acquire(LockTarget.of("warm-up")).close();
		return locks;
	}

	@Override
	public void close() {
		this.one.close();
		this.other.close();
	}

}
