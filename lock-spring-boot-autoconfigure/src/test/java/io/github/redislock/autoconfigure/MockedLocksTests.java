package io.github.redislock.autoconfigure;

import java.lang.reflect.Proxy;

import io.github.redislock.LockOperations;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.redis.RedisLockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A single interface is enough to inject locks and to replace the template in a test.
 */
class MockedLocksTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AsyncLockAutoConfiguration.class, ReactiveLockAutoConfiguration.class,
				RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, RedisLockHealthAutoConfiguration.class,
				RedisLockInfoAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory", "management.endpoints.web.exposure.include=*",
				"management.info.redis-lock.enabled=true");

	@Test
	void applicationStartsWithAMockInPlaceOfTheTemplate() {
		this.application
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(MockedLocksTests::replaceTemplate))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockOperations.class)
				.hasSingleBean(ReactiveLockOperations.class)
				.hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(RedisLockHealthIndicator.class)
				.hasBean("redisLockInfoContributor")
				.doesNotHaveBean(RedisLockTemplate.class));
	}

	/**
	 * Replace the bean as {@code @MockitoBean LockOperations} would.
	 */
	private static void replaceTemplate(ConfigurableListableBeanFactory beanFactory) {
		BeanDefinitionRegistry beans = (BeanDefinitionRegistry) beanFactory;
		String name = beanFactory.getBeanNamesForType(LockOperations.class, true, false)[0];
		beans.removeBeanDefinition(name);
		beans.registerBeanDefinition(name,
				BeanDefinitionBuilder.rootBeanDefinition(LockOperations.class, MockedLocksTests::mock)
					.getBeanDefinition());
	}

	private static LockOperations mock() {
		return (LockOperations) Proxy.newProxyInstance(MockedLocksTests.class.getClassLoader(),
				new Class<?>[] { LockOperations.class },
				(proxy, method, arguments) -> (method.getReturnType() == boolean.class) ? false : null);
	}

}
