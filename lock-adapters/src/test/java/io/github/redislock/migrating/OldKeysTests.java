package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens to keys that other libraries have left in Redis.
 */
@ExtendWith(RedisServerExtension.class)
class OldKeysTests {

	private final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	@Test
	void lock4jAndOurLocksExcludeOneAnotherOnTheSameKey() {
		try (AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext(
				Application.class)) {
			FromLock4j service = application.getBean(FromLock4j.class);
			assertThat(take("lock4j:stock#42")).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> service.sellUnderTheOldKey("42"));
			this.redis.delete("lock4j:stock#42");

			assertThat(service.sellUnderTheOldKey("42")).isEqualTo("taken by lock4j: false");
		}
	}

	@Test
	void redissonHashIsReportedAsAKeyConflict() {
		this.redis.opsForHash().put("distributed_lock:stock:42", "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "1");

		try (RedisLockTemplate locks = locks("distributed_lock:")) {
			assertThatExceptionOfType(LockKeyConflictException.class)
				.isThrownBy(() -> locks.acquire(LockTarget.of("stock:42")));
		}

		assertThat(this.redis.opsForHash().size("distributed_lock:stock:42")).isEqualTo(1);
	}

	@Test
	void lockOfAPythonClientIsResumedByItsToken() {
		assertThat(take("distributed_lock:job:7")).isTrue();

		try (RedisLockTemplate locks = locks("distributed_lock:");
				LockHandle lock = locks.acquire(LockTarget.of("job:7"),
						LockOptions.options().timeout(Duration.ofSeconds(30)).owner("token"))) {
			assertThat(lock.verify()).isTrue();
		}

		assertThat(this.redis.hasKey("distributed_lock:job:7")).isFalse();
	}

	@Test
	void setIfAbsentAndOurLocksExcludeOneAnotherOnTheSameKey() {
		LockTarget stock = LockTarget.of("stock", "42");
		try (RedisLockTemplate locks = locks("lock:")) {
			assertThat(take("lock:stock:42")).isTrue();
			assertThat(locks.tryAcquire(stock)).isNull();
			this.redis.delete("lock:stock:42");

			try (LockHandle lock = locks.acquire(stock)) {
				assertThat(take("lock:stock:42")).isFalse();
				assertThat(lock.verify()).isTrue();
			}
		}

		assertThat(take("lock:stock:42")).isTrue();
	}

	@Test
	void holderLosesTheLockWhenItsKeyIsDeleted() {
		try (RedisLockTemplate locks = locks("lock:")) {
			LockHandle lock = locks.acquire(LockTarget.of("stock", "43"));

			this.redis.delete("lock:stock:43");

			assertThat(lock.verify()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	private Boolean take(String key) {
		return this.redis.opsForValue().setIfAbsent(key, "token", Duration.ofMinutes(1));
	}

	private static RedisLockTemplate locks(String prefix) {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults()
			.keyPrefix(prefix)
			.commandTimeout(Duration.ofSeconds(10));
		return new RedisLockTemplate(RedisLockStore.create(TestRedis.shared().connectionFactory(), options),
				LockConfiguration.defaults());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@Import(FromLock4j.class)
	static class Application {

		@Bean
		LockOperations locks() {
			return OldKeysTests.locks("lock4j:");
		}

		@Bean
		Catalogue catalogue() {
			StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());
			return new Catalogue() {

				@Override
				public String sell(String sku) {
					return "taken by lock4j: " + redis.opsForValue().setIfAbsent("lock4j:stock#" + sku, "token");
				}

				@Override
				public String find(String sku) {
					return sku;
				}

				@Override
				public void importAll() {
				}

				@Override
				public void write(String line, long fencingToken) {
				}

			};
		}

	}

}
