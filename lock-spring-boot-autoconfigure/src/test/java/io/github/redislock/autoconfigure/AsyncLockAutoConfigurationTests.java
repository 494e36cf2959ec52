package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;

class AsyncLockAutoConfigurationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final ThreadLocal<String> USER = new ThreadLocal<>();

	private final TestRedis redis = TestRedis.shared();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AsyncLockAutoConfiguration.class, ReactiveLockAutoConfiguration.class,
				RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, DataRedisAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.host=" + this.redis.host(),
				"spring.data.redis.port=" + this.redis.port());

	@Test
	void allApisUseTheSameLocks() {
		this.application.run((context) -> {
			AsyncLockOperations async = context.getBean(AsyncLockOperations.class);
			ReactiveLockOperations reactive = context.getBean(ReactiveLockOperations.class);
			RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);

			locks.execute("faces", () -> {
				CompletableFuture.runAsync(() -> {
					assertThat(async.tryAcquire(LockTarget.of("faces")).join()).isNull();
					assertThat(reactive.tryAcquire(LockTarget.of("faces")).blockOptional(PATIENCE)).isEmpty();
				}, OwnThread::run).join();
			});
			assertThat(async.execute(LockTarget.of("faces"), () -> CompletableFuture.completedFuture("held"))
				.get(20, TimeUnit.SECONDS)).isEqualTo("held");
			assertThat(
					reactive.execute(LockTarget.of("faces"), LockOptions.options(), Mono.just("held")).block(PATIENCE))
				.isEqualTo("held");
		});
	}

	@Test
	void asyncApiOfTheApplicationTakesPrecedence() {
		this.application
			.withBean("own", AsyncLockOperations.class,
					() -> new RedisLockTemplate(this.redis.connectionFactory()).async())
			.run((context) -> assertThat(context).getBeanNames(AsyncLockOperations.class).containsExactly("own"));
	}

	@Test
	void apiBeansExistForATemplateOfTheApplication() {
		this.application.withBean(RedisLockTemplate.class, () -> new RedisLockTemplate(this.redis.connectionFactory()))
			.run((context) -> assertThat(context).hasSingleBean(AsyncLockOperations.class)
				.hasSingleBean(ReactiveLockTemplate.class));
	}

	@Test
	void apiBeansAreAbsentIfLocksAreDisabled() {
		this.application.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(AsyncLockOperations.class)
				.doesNotHaveBean(ReactiveLockOperations.class));
	}

	@Test
	void reactiveApiIsAbsentWithoutReactor() {
		this.application.withClassLoader(new FilteredClassLoader(Mono.class))
			.run((context) -> assertThat(context).hasSingleBean(AsyncLockOperations.class)
				.doesNotHaveBean(ReactiveLockOperations.class));
	}

	@Test
	void workRunsInTheContextOfItsCaller() {
		this.application.withBean(TaskDecorator.class, () -> AsyncLockAutoConfigurationTests::withUser)
			.run((context) -> {
				USER.set("caller");
				try {
					assertThat(context.getBean(AsyncLockOperations.class)
						.execute(LockTarget.of("context"), () -> CompletableFuture.completedFuture(USER.get()))
						.get(20, TimeUnit.SECONDS)).isEqualTo("caller");
				}
				finally {
					USER.remove();
				}
			});
	}

	private static Runnable withUser(Runnable task) {
		String user = USER.get();
		return () -> {
			USER.set(user);
			task.run();
			USER.remove();
		};
	}

}
