package io.github.redislock.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.cache.LoadOnceOptions.OnBusy;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.cache.Cache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share a cache in Redis.
 */
@ExtendWith(RedisServerExtension.class)
class LoadOnceOnRedisTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final LockTarget LOCK = LockTarget.of("cache:prices", "42");

	private final Outcomes outcomes = new Outcomes();

	private final LockTemplate oneLocks = locks();

	private final LockTemplate otherLocks = locks();

	private final Cache one = cache(this.oneLocks);

	private final Cache other = cache(this.otherLocks);

	@AfterEach
	void close() {
		this.oneLocks.close();
		this.otherLocks.close();
	}

	@Test
	void oneLoadServesAllCallersOfBothInstancesAfterEachEviction() throws Exception {
		AtomicInteger loads = new AtomicInteger();
		for (int expiry = 1; expiry <= 3; expiry++) {
			String value = "load " + expiry;
			List<FutureTask<String>> callers = new ArrayList<>();
			for (int caller = 0; caller < 10; caller++) {
				callers.add(caller(this.one, () -> loadWhileOthersWait(this.oneLocks, loads)));
				callers.add(caller(this.other, () -> loadWhileOthersWait(this.otherLocks, loads)));
			}

			for (FutureTask<String> caller : callers) {
				assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(value);
			}
			this.one.evictIfPresent("42");
		}
		assertThat(loads).hasValue(3);
	}

	@Test
	void nextCallerTakesOverFromADeadLoader() throws Exception {
		// Like a loader whose process has died: it neither renews nor releases.
		this.otherLocks.acquire(LOCK,
				LockOptions.options().timeout(Duration.ofSeconds(1)).autoRenew(false).reentrant(false));
		AtomicInteger loads = new AtomicInteger();

		List<FutureTask<String>> callers = List.of(caller(this.one, () -> "load " + loads.incrementAndGet()),
				caller(this.other, () -> "load " + loads.incrementAndGet()),
				caller(this.one, () -> "load " + loads.incrementAndGet()));

		for (FutureTask<String> caller : callers) {
			assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("load 1");
		}
		assertThat(loads).hasValue(1);
	}

	@Test
	void evictionDoesNotWaitForALoadWhichThenStoresItsValue() throws Exception {
		for (Runnable eviction : List.<Runnable>of(() -> this.other.evictIfPresent("42"), this.other::invalidate)) {
			CompletableFuture<String> source = new CompletableFuture<>();
			FutureTask<String> loader = caller(this.one, source::get);
			Awaitility.await().until(() -> this.otherLocks.isLocked(LOCK));

			eviction.run();
			assertThat(loader).isNotDone();
			source.complete("value");

			assertThat(loader.get(20, TimeUnit.SECONDS)).isEqualTo("value");
			assertThat(this.other.get("42", String.class)).isEqualTo("value");
			this.other.evictIfPresent("42");
		}
	}

	@Test
	void slowLoadKeepsItsLock() throws Exception {
		Cache impatient = cache(this.oneLocks, Duration.ofMillis(900));
		CompletableFuture<String> source = new CompletableFuture<>();
		FutureTask<String> loader = caller(impatient, source::get);
		Awaitility.await().until(() -> this.otherLocks.isLocked(LOCK));

		// Several times the lease, which is 300 ms.
		Awaitility.await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> this.otherLocks.isLocked(LOCK));

		source.complete("value");
		assertThat(loader.get(20, TimeUnit.SECONDS)).isEqualTo("value");
	}

	private static String loadWhileOthersWait(LockTemplate locks, AtomicInteger loads) {
		String value = "load " + loads.incrementAndGet();
		Awaitility.await().until(() -> !locks.local().waiting().isEmpty());
		return value;
	}

	private static FutureTask<String> caller(Cache cache, Callable<String> loader) {
		FutureTask<String> caller = new FutureTask<>(() -> cache.get("42", loader));
		OwnThread.run(caller);
		return caller;
	}

	private Cache cache(LockTemplate locks) {
		return cache(locks, PATIENCE);
	}

	private Cache cache(LockTemplate locks, Duration waitTime) {
		RedisCacheManager caches = RedisCacheManager.builder(TestRedis.shared().connectionFactory())
			.cacheDefaults(RedisCacheConfiguration.defaultCacheConfig().entryTtl(Duration.ofMinutes(10)))
			.build();
		LoadOnceOptions options = new LoadOnceOptions((name) -> true, waitTime, Duration.ZERO, OnBusy.LOAD);
		return Objects
			.requireNonNull(new LoadOnceCacheManager(caches, () -> locks, options, this.outcomes).getCache("prices"));
	}

	private static LockTemplate locks() {
		// For a busy machine.
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10));
		LockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(TestRedis.shared().connectionFactory(), options), LockConfiguration.defaults());
		locks.acquire(LockTarget.of("warm-up")).close();
		return locks;
	}

}
