package io.github.redislock.autoconfigure;

import java.util.Map;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ActuatorAutoConfigurationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class, LocksEndpointAutoConfiguration.class,
				RedisLockHealthAutoConfiguration.class, RedisLockInfoAutoConfiguration.class,
				EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory", "redis-lock.instance-id=shop-1");

	private final WebApplicationContextRunner exposed = this.runner
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void endpointExistsOnlyWhenExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
		this.exposed.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void healthIndicatorExistsUnlessDisabled() {
		this.runner.run((context) -> {
			assertThat(context).hasBean("redisLockHealthIndicator");
			assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
		});
		this.runner.withPropertyValues("management.health.redis-lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void healthIndicatorOfTheApplicationTakesPrecedence() {
		HealthIndicator own = () -> Health.up().build();

		this.runner.withBean("redisLockHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context.getBean(HealthIndicator.class)).isSameAs(own));
	}

	@Test
	void severalTemplatesAreNotShown() {
		this.exposed.withBean("one", RedisLockTemplate.class, ActuatorAutoConfigurationTests::template)
			.withBean("two", RedisLockTemplate.class, ActuatorAutoConfigurationTests::template)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LocksEndpoint.class)
				.doesNotHaveBean(HealthIndicator.class)
				.doesNotHaveBean("redisLockInfoContributor"));
	}

	private static RedisLockTemplate template() {
		return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
	}

	@Test
	void infoShowsWhereLocksAreKept() {
		// The version comes from the jar's manifest, if there is one.
		this.runner.run((context) -> assertThat(info(context))
			.containsAllEntriesOf(Map.of("instance", "shop-1", "store", "in-memory"))
			.doesNotContainValue(null));
		this.runner.withPropertyValues("management.info.redis-lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("redisLockInfoContributor"));
	}

	@Test
	void infoOmitsRedisIfTheApplicationKeepsLocksElsewhere() {
		WebApplicationContextRunner redis = this.runner.withPropertyValues("redis-lock.store=redis");

		redis.withBean(LockStore.class, InMemoryLockStore::new)
			.run((context) -> assertThat(info(context)).containsEntry("instance", "shop-1")
				.containsEntry("store", "of the application"));
		redis
			.withBean(RedisLockTemplate.class,
					() -> new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().instance("own")))
			.run((context) -> assertThat(info(context)).containsEntry("instance", "own")
				.containsEntry("store", "of the application"));
	}

	@Test
	void infoShowsRedis() {
		this.runner.withPropertyValues("redis-lock.store=redis", "redis-lock.checks=off")
			.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory("localhost", 1))
			.run((context) -> assertThat(info(context)).containsEntry("store",
					"Redis at localhost:1, database 0, below 'distributed_lock:'"));
	}

	@Test
	void templateExistsWithoutActuator() {
		this.exposed
			.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class,
					ConditionalOnEnabledHealthIndicator.class, ConditionalOnEnabledInfoContributor.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(RedisLockTemplate.class)
				.doesNotHaveBean("locksEndpoint")
				.doesNotHaveBean("redisLockHealthIndicator")
				.doesNotHaveBean("redisLockInfoContributor"));
	}

	@Test
	void disabledLocksAreNotShown() {
		this.exposed.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LocksEndpoint.class)
				.doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void templateOfTheApplicationIsShown() {
		this.exposed
			.withBean(LockOperations.class,
					() -> new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().instance("own")))
			.run((context) -> assertThat(context).hasNotFailed());
		this.exposed
			.withBean(RedisLockTemplate.class,
					() -> new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults().instance("own")))
			.run((context) -> assertThat(context.getBean(LocksEndpoint.class).locks(null).getBody()).asString()
				.contains("instance=own"));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> info(BeanFactory context) {
		Info.Builder info = new Info.Builder();
		context.getBean("redisLockInfoContributor", InfoContributor.class).contribute(info);
		return (Map<String, Object>) info.build().getDetails().get("redisLock");
	}

}
