package io.github.redislock.autoconfigure.test;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.autoconfigure.DistributedLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockDisabledAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockStoreAutoConfiguration;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class TestLocksAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(TestLocksAutoConfiguration.class, RedisLockStoreAutoConfiguration.class, RedisLockAutoConfiguration.class,
				RedisLockDisabledAutoConfiguration.class, DistributedLockAutoConfiguration.class));

	@Test
	void autoConfiguredTemplateUsesTheTestLocks() {
		this.runner.withPropertyValues("redis-lock.instance-id=orders-1").run((context) -> {
			RedisLockTemplate template = context.getBean(RedisLockTemplate.class);
			template.execute("a", () -> assertThat(template.inspect(LockTarget.of("a"))).get()
				.returns("orders-1", (state) -> state.holder()));
			assertThat(context).hasSingleBean(LockOperations.class).hasSingleBean(LockStore.class);
			assertThat(context.getBean(TestLocks.class).acquired()).containsExactly("a");
		});
	}

	@Test
	void locksInMemoryAreNotReported(CapturedOutput output) {
		this.runner.withPropertyValues("redis-lock.store=in-memory")
			.run((context) -> assertThat(output).doesNotContain("in-memory"));
	}

	@Test
	void lettuceIsNotNeeded() {
		this.runner.withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class))
			.run((context) -> assertThat(context).hasSingleBean(RedisLockTemplate.class));
	}

	@Test
	void templateOfTheApplicationOnTheInjectedStoreIsUsed() {
		this.runner.withUserConfiguration(OwnTemplate.class).run((context) -> {
			context.getBean(LockOperations.class).execute("a", () -> "done");
			assertThat(context).hasSingleBean(LockOperations.class);
			assertThat(context.getBean(TestLocks.class).isHeld("a")).isFalse();
		});
	}

	@Test
	void storeOfTheApplicationIsNotUsed() {
		this.runner.withBean("own", LockStore.class, InMemoryLockStore::new).run((context) -> {
			context.getBean(LockOperations.class).execute("a", () -> "done");
			assertThat(context.getBean(TestLocks.class).acquired()).containsExactly("a");
		});
	}

	@Test
	void applicationTemplateOnAnotherStoreFailsStartup() {
		this.runner.withUserConfiguration(TemplateElsewhere.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("the application's own 'elsewhere' keeps them elsewhere"));
	}

	@Test
	void clockOfTheApplicationIsUsed() {
		ManualLockTimer timer = new ManualLockTimer();

		this.runner.withBean("own", LockTimer.class, () -> timer)
			.run((context) -> assertThat(context.getBean(TestLocks.class).timer()).isSameAs(timer));
	}

	@Test
	void applicationWithoutLocksStarts() {
		this.runner.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockOperations.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTemplate {

		@Bean
		RedisLockTemplate own(LockStore store) {
			return new RedisLockTemplate(store, LockConfiguration.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TemplateElsewhere {

		@Bean
		RedisLockTemplate elsewhere() {
			return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

}
