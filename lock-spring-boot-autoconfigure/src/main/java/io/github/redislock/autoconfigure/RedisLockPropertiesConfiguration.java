package io.github.redislock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * The properties of locks, checked while they are bound.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RedisLockProperties.class)
class RedisLockPropertiesConfiguration {

	@Bean
	static LockPropertyChecks redisLockPropertyChecks(Environment environment) {
		return new LockPropertyChecks(environment);
	}

	/**
	 * Here, since it also checks the Redis of an application's own template.
	 */
	@Bean
	RedisServerChecks redisLockServerChecks(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<RedisLockStoreAutoConfiguration> store,
			ObjectProvider<RedisLockAutoConfiguration> template) {
		return new RedisServerChecks(properties, () -> {
			if (store.getIfAvailable() != null) {
				return RedisStoreFactory.check(properties, beanFactory);
			}
			return (template.getIfAvailable() == null) ? RedisStoreFactory.checkOfOwnTemplate(beanFactory) : null;
		});
	}

}
