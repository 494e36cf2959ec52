package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with {@code spring.data.redis.client-type=jedis}.
 */
class JedisClientTests {

	private static final TestRedis redis = TestRedis.shared();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class, DistributedLockAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.host=" + redis.host(),
				"spring.data.redis.port=" + redis.port(), "redis-lock.wait-time=1m")
		.withBean(Shop.class);

	@Test
	void annotatedMethodRunsUnderItsLock() {
		this.application.run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);

			String owner = context.getBean(Shop.class).sell(context.getBean(StringRedisTemplate.class), "apple");

			assertThat(owner).isNotNull();
			assertThat(context.getBean(StringRedisTemplate.class).hasKey("distributed_lock:sell:apple")).isFalse();
		});
	}

	/**
	 * The only connection of each application is in use during this test.
	 */
	@Test
	void lockIsHandedOverBetweenInstances() {
		ApplicationContextRunner small = this.application
			.withPropertyValues("spring.data.redis.jedis.pool.max-active=1");
		small.run((first) -> small.run((second) -> {
			try (RedisConnection inUse = first.getBean(RedisConnectionFactory.class).getConnection();
					RedisConnection alsoInUse = second.getBean(RedisConnectionFactory.class).getConnection()) {
				LockHandle held = first.getBean(RedisLockTemplate.class)
					.acquire(LockTarget.of("jedis"), LockOptions.options().timeout(Duration.ofMinutes(1)));
				RedisLockTemplate waiting = second.getBean(RedisLockTemplate.class);
				CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> {
					LockHandle lock = waiting.acquire(LockTarget.of("jedis"));
					lock.detach();
					return lock;
				}, OwnThread::run);
				Awaitility.await("it waits for a message").until(JedisClientTests::isAnybodySubscribed);

				held.close();

				LockHandle lock = waiter.get(20, TimeUnit.SECONDS);
				assertThat(lock.verify()).isTrue();
				lock.close();
			}
		}));
	}

	private static boolean isAnybodySubscribed() {
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			return connection.serverCommands()
				.getClientList()
				.stream()
				.anyMatch((client) -> !client.get("sub").equals("0"));
		}
	}

	static class Shop {

		@DistributedLock(name = "sell", key = "#sku")
		public String sell(StringRedisTemplate keys, String sku) {
			return keys.opsForValue().get("distributed_lock:sell:" + sku);
		}

	}

}
