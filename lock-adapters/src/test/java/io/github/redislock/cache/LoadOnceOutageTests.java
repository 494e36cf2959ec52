package io.github.redislock.cache;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockTarget;
import io.github.redislock.cache.LoadOnceListener.Outcome;
import io.github.redislock.cache.LoadOnceOptions.OnBusy;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis fails, which keeps the locks and, in some tests, the cache.
 */
@NeedsRedisServer
@Tag("fault")
class LoadOnceOutageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final RedisProcess redis = RedisProcess.start();

	private final LettuceConnectionFactory connections = this.redis.connectionFactory(
			new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", this.redis.port()),
					LettuceClientConfiguration.builder().commandTimeout(Duration.ofMillis(500)).build()));

	private final LockTemplate locks = new RedisLockTemplate(this.connections);

	private final Outcomes outcomes = new Outcomes();

	private final LogRecorder log = LogRecorder.warningsOf(LoadOnceCacheManager.class.getName());

	@BeforeEach
	void warmUp() {
		// The first connection may be slow.
		Awaitility.await()
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> !this.locks.isLocked(LockTarget.of("warm-up")));
	}

	@AfterEach
	void close() {
		this.log.close();
		this.locks.close();
		this.redis.close();
	}

	@Test
	void localCacheLoadsWithoutLocksAndLogsThatOnce() {
		Cache cache = cache(new ConcurrentMapCacheManager());
		this.redis.kill();

		assertThat(cache.get("1", () -> "one")).isEqualTo("one");
		assertThat(cache.get("1", () -> "again")).isEqualTo("one");
		assertThat(cache.retrieve("2", () -> CompletableFuture.completedFuture("two"))).succeedsWithin(PATIENCE)
			.isEqualTo("two");

		assertThat(this.outcomes.all()).containsExactly(Outcome.UNLOCKED, Outcome.UNLOCKED);
		assertThat(this.log.lines()).singleElement().asString().contains("loaded without locks");
	}

	@Test
	void locksAreUsedAgainAfterTheOutageAndTheNextOneIsLogged() {
		Cache cache = cache(new ConcurrentMapCacheManager());
		this.redis.kill();
		cache.get("1", () -> "one");
		this.redis.restart();
		AtomicInteger key = new AtomicInteger(1);
		Awaitility.await().atMost(PATIENCE).until(() -> {
			cache.get("key " + key.incrementAndGet(), () -> "value");
			return this.outcomes.count(Outcome.LOADED) > 0;
		});
		this.redis.kill();

		cache.get("2", () -> "two");

		assertThat(this.log.lines()).hasSize(2);
	}

	@Test
	void eachCallLoadsIfTheCacheInRedisIsDown() {
		Cache cache = cache(RedisCacheManager.create(this.connections));
		cache.get("0", () -> "zero");
		this.redis.kill();

		for (int call = 1; call <= 2; call++) {
			String value = "load " + call;
			assertThat(cache.get("1", () -> value)).isEqualTo(value);
			assertThat(cache.retrieve("1", () -> CompletableFuture.completedFuture(value))).succeedsWithin(PATIENCE)
				.isEqualTo(value);
		}

		assertThat(this.outcomes.count(Outcome.UNLOCKED)).isEqualTo(4);
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void callerGetsItsValueIfRedisDiesDuringTheLoad() {
		Cache cache = cache(RedisCacheManager.create(this.connections));
		AtomicInteger loads = new AtomicInteger();

		assertThat(cache.get("1", () -> {
			this.redis.kill();
			return "load " + loads.incrementAndGet();
		})).isEqualTo("load 1");
		assertThat(this.outcomes.all()).containsExactly(Outcome.LOADED);
	}

	@Test
	void eachMissLoadsOnceIfRedisIsFull() {
		Cache cache = cache(RedisCacheManager.create(this.connections));
		AtomicInteger loads = new AtomicInteger();
		this.connections.getConnection().serverCommands().setConfig("maxmemory", "1");

		assertThat(cache.get("1", loads::incrementAndGet)).isOne();
		assertThat(cache.retrieve("1", () -> CompletableFuture.completedFuture(loads.incrementAndGet())))
			.succeedsWithin(PATIENCE)
			.isEqualTo(2);

		assertThat(this.outcomes.all()).hasSize(2);
		assertThat(this.log.lines()).hasSize(1);
	}

	private Cache cache(CacheManager caches) {
		LoadOnceOptions options = new LoadOnceOptions((name) -> true, Duration.ofSeconds(10), Duration.ZERO,
				OnBusy.LOAD);
		return Objects.requireNonNull(
				new LoadOnceCacheManager(caches, () -> this.locks, options, this.outcomes).getCache("prices"));
	}

}
