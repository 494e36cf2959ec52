package io.github.redislock.autoconfigure.test;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.test.TestLocks;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.test.autoconfigure.DataRedisTest;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring Boot's test slice that has a Redis and few other beans.
 */
@DataRedisTest(properties = "redis-lock.command-timeout=30s")
class DataRedisSliceTests {

	@Autowired
	private RedisLockTemplate template;

	@Autowired
	private StringRedisTemplate redis;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.host", () -> TestRedis.shared().host());
		registry.add("spring.data.redis.port", () -> TestRedis.shared().port());
	}

	@Test
	void sliceHasLocksInRedis() {
		try (LockHandle lock = this.template.acquire(LockTarget.of("slice:42"))) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(this.redis.hasKey("distributed_lock:slice:42")).isTrue();
		}
	}

	@Nested
	@AutoConfigureRedisLock
	class WithLocksInMemory {

		@Test
		void sliceHasInMemoryLocksOnRequest(@Autowired ApplicationContext context) {
			TestLocks locks = context.getBean(TestLocks.class);

			context.getBean(RedisLockTemplate.class).execute("slice:42", () -> "done");

			assertThat(locks.acquired()).containsExactly("slice:42");
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
