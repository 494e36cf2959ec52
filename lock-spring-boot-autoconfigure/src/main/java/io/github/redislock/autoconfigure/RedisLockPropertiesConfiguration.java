package io.github.redislock.autoconfigure;

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

}
