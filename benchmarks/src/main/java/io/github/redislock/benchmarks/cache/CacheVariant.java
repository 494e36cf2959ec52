package io.github.redislock.benchmarks.cache;

import java.time.Duration;

import io.github.redislock.LockOperations;
import io.github.redislock.cache.LoadOnceCacheManager;
import io.github.redislock.cache.LoadOnceOptions;
import io.github.redislock.cache.LoadOnceOptions.OnBusy;

import org.springframework.cache.CacheManager;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The compared ways to load a value.
 */
enum CacheVariant {

	/** Every caller that does not find a value loads it. */
	NO_LOCK,

	/** Spring Data's writer, which locks the whole cache during a load. */
	LOCKING_WRITER,

	/** This project's load-once cache manager. */
	LOAD_ONCE;

	CacheManager caches(RedisConnectionFactory connections, LockOperations locks, Duration timeToLive) {
		RedisCacheWriter writer = (this == LOCKING_WRITER) ? RedisCacheWriter.lockingRedisCacheWriter(connections)
				: RedisCacheWriter.nonLockingRedisCacheWriter(connections);
		RedisCacheManager caches = RedisCacheManager.builder(writer)
			.cacheDefaults(RedisCacheConfiguration.defaultCacheConfig().entryTtl(timeToLive))
			.build();
		LoadOnceOptions options = new LoadOnceOptions((name) -> true, Duration.ofSeconds(10), Duration.ZERO,
				OnBusy.LOAD);
		return (this != LOAD_ONCE) ? caches
				: new LoadOnceCacheManager(caches, () -> locks, options, (lock, outcome) -> {
				});
	}

}
