package io.github.redislock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One application has locks on more than one Redis.
 */
class SeveralTemplatesTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AsyncLockAutoConfiguration.class, ReactiveLockAutoConfiguration.class,
				RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
				DistributedLockAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory", "redis-lock.instance-id=first", "app.template=second");

	@Test
	void methodSelectsTheTemplateForItsLock() {
		this.application.withUserConfiguration(SecondTemplate.class).withBean(Stock.class).run((context) -> {
			Stock stock = context.getBean(Stock.class);

			assertThat(stock.ofTheFirst()).startsWith("first/");
			assertThat(stock.ofTheSecond()).startsWith("second/");
			assertThat(stock.ofAProperty()).startsWith("second/");
			assertThat(stock.later().get(20, TimeUnit.SECONDS)).startsWith("second/");
			LockOperations first = context.getBean("redisLockTemplate", LockOperations.class);
			String owner = first.execute("stock", () -> stock.ofTheSecond());
			assertThat(owner).as("not excluded").startsWith("second/");
		});
	}

	@Test
	void secondTemplateMayUseTheConfiguredSettings() {
		this.application.withPropertyValues("redis-lock.retry=0", "redis-lock.key-prefix=shop:")
			.withUserConfiguration(ConfiguredTemplate.class)
			.run((context) -> {
				LockOperations second = context.getBean("configured", LockOperations.class);
				second.acquire(LockTarget.of("a"));

				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> second.acquire(LockTarget.of("a"), LockOptions.options().reentrant(false)))
					.withMessageContaining("not acquired: held by first");
				assertThat(second.local().held().get(0).owner()).startsWith("first");
				assertThat(context).hasSingleBean(RedisLockStoreOptions.class);
				assertThat(context.getBean(RedisLockStoreOptions.class).keyPrefix()).isEqualTo("shop:");
			});
	}

	@Test
	void missingTemplateIsReportedWithTheAvailableOnes() {
		this.application.withUserConfiguration(SecondTemplate.class)
			.withBean(Elsewhere.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("Elsewhere.move()' cannot be locked",
						"its template 'third' is not a bean of type LockOperations",
						"Use one of these: 'redisLockTemplate', 'second'."));
	}

	@Test
	void noPrimaryTemplateIsNeededIfAllMethodsNameATemplate() {
		this.application.withBean("one", RedisLockTemplate.class, () -> template("one"))
			.withBean("second", RedisLockTemplate.class, () -> template("second"))
			.withBean(Named.class)
			.run((context) -> assertThat(context.getBean(Named.class).move()).startsWith("second/"));
	}

	private static RedisLockTemplate template(String instance) {
		return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().instance(instance));
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondTemplate {

		@Bean(defaultCandidate = false)
		RedisLockTemplate second() {
			return template("second");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ConfiguredTemplate {

		@Bean(defaultCandidate = false)
		RedisLockTemplate configured(LockConfiguration configuration) {
			return new RedisLockTemplate(new InMemoryLockStore(), configuration);
		}

	}

	static class Stock {

		@DistributedLock(name = "stock")
		public String ofTheFirst() {
			return LockContext.current().owner();
		}

		@DistributedLock(name = "stock", template = "second")
		public String ofTheSecond() {
			return LockContext.current().owner();
		}

		@DistributedLock(name = "stock", template = "${app.template}")
		public String ofAProperty() {
			return LockContext.current().owner();
		}

		@DistributedLock(name = "stock", template = "second")
		public CompletableFuture<String> later() {
			return CompletableFuture.completedFuture(LockContext.current().owner());
		}

	}

	static class Named {

		@DistributedLock(name = "stock", template = "second")
		public String move() {
			return LockContext.current().owner();
		}

	}

	static class Elsewhere {

		@DistributedLock(name = "stock", template = "third")
		public void move() {
		}

	}

}
