package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTimer;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.redis.RedisLockStoreOptions;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Checks the properties of locks while they are bound, and creates the configuration of
 * templates from them. Templates that an application declares can use this configuration
 * as well.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RedisLockProperties.class)
class RedisLockPropertiesConfiguration {

	static final String TASK_DECORATOR_BEAN_NAME = "redisLockTaskDecorator";

	private static final Duration LONGEST_CLOSE_WAIT = Duration.ofHours(1);

	@Bean
	static LockPropertyChecks redisLockPropertyChecks(Environment environment) {
		return new LockPropertyChecks(environment);
	}

	/**
	 * Return the checks. They are declared here, because they also apply to the Redis of
	 * an application's own template.
	 */
	@Bean
	RedisServerChecks redisLockServerChecks(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<RedisLockStoreAutoConfiguration> store,
			ObjectProvider<RedisLockAutoConfiguration> template) {
		return new RedisServerChecks(properties, () -> {
			if (store.getIfAvailable() != null) {
				return RedisStoreFactory.servers(properties, beanFactory);
			}
			return (template.getIfAvailable() == null) ? RedisStoreFactory.serversOfOwnTemplate(beanFactory) : null;
		});
	}

	/**
	 * Return the configuration of templates, without listeners.
	 */
	@Bean
	@ConditionalOnMissingBean
	LockConfiguration redisLockConfiguration(RedisLockProperties properties, Environment environment,
			ObjectProvider<LockTimer> timer, ObjectProvider<TaskDecorator> decorators,
			ObjectProvider<LifecycleProperties> lifecycle,
			@Qualifier(TASK_DECORATOR_BEAN_NAME) ObjectProvider<TaskDecorator> ownDecorator) {
		String instance = properties.instanceId();
		LockConfiguration configuration = LockConfiguration.defaults()
			.options(properties.options())
			.instance((instance != null) ? instance : InstanceId.of(environment.getProperty("spring.application.name")))
			.grace(properties.grace())
			.warnAfter(properties.warnAfter())
			.closeWait(closeWait(properties, lifecycle.getIfAvailable(LifecycleProperties::new)))
			.slice(properties.handOver().slice())
			.taskDecorator(new CompositeTaskDecorator(
					Stream.concat(decorators.orderedStream(), ownDecorator.stream()).distinct().toList()))
			.commitGuard(properties.transaction().commitGuard());
		LockTimer custom = timer.getIfAvailable();
		return (custom != null) ? configuration.timer(custom) : configuration;
	}

	private static Duration closeWait(RedisLockProperties properties, LifecycleProperties lifecycle) {
		Duration own = properties.closeWait();
		if (own != null) {
			return own;
		}
		Duration phase = lifecycle.getTimeoutPerShutdownPhase();
		return Durations.min(Durations.max(phase, Duration.ZERO), LONGEST_CLOSE_WAIT);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisConnectionFactory.class)
	static class RedisOptions {

		@Bean
		@ConditionalOnMissingBean
		RedisLockStoreOptions redisLockStoreOptions(RedisLockProperties properties) {
			return RedisStoreFactory.options(properties);
		}

	}

}
