package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application in a separate process that uses only Spring Data Redis and locks. It
 * prints each feature that worked.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ClassPathApplication {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	/**
	 * Run in a separate process.
	 */
	public static void main(String... arguments) throws Exception {
		try (ConfigurableApplicationContext context = SpringApplication.run(ClassPathApplication.class, arguments)) {
			String client = context.getBean(RedisConnectionFactory.class).getClass().getSimpleName();
			System.out.println("starts with " + client);
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			String prefix = context.getEnvironment().getRequiredProperty("redis-lock.key-prefix");
			if (Boolean.TRUE.equals(context.getBean(Job.class).isLocked(redis, prefix + "job"))) {
				System.out.println("locks");
			}
			RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);
			LockHandle held = locks.acquire(LockTarget.of("hand-over"), PATIENT);
			CompletableFuture<Boolean> waiter = new CompletableFuture<>();
			new Thread(() -> {
				try (LockHandle next = locks.acquire(LockTarget.of("hand-over"), PATIENT)) {
					waiter.complete(next.verify());
				}
				catch (RuntimeException | Error ex) {
					waiter.completeExceptionally(ex);
				}
			}).start();
			while (locks.local().waiting().isEmpty() && !waiter.isDone()) {
				Thread.onSpinWait();
			}
			held.close();
			if (waiter.get(1, TimeUnit.MINUTES)) {
				System.out.println("hands over");
			}
			if (Boolean.FALSE.equals(redis.hasKey(prefix + "job"))) {
				System.out.println("releases");
			}
		}
	}

	@Bean
	Job job() {
		return new Job();
	}

	/**
	 * Inspects its own lock.
	 */
	public static class Job {

		@DistributedLock(name = "job", waitTime = "1m")
		public Boolean isLocked(StringRedisTemplate redis, String key) {
			return redis.hasKey(key);
		}

	}

}
