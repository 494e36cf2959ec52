package io.github.redislock.autoconfigure;

import io.github.redislock.observation.LockObservationConvention;
import io.github.redislock.observation.LockObservationListener;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.task.TaskDecorator;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link ObservationRegistry
 * observation} of lock acquisitions.
 */
@AutoConfiguration(
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
public final class RedisLockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservationListener redisLockObservationListener(ObservationRegistry registry,
			ObjectProvider<LockObservationConvention> convention) {
		return new LockObservationListener(registry, convention.getIfAvailable());
	}

	/**
	 * Return the decorator for asynchronous work under locks. It is not a default
	 * candidate, because other executors must not use it.
	 */
	@Bean(name = RedisLockPropertiesConfiguration.TASK_DECORATOR_BEAN_NAME, defaultCandidate = false)
	@ConditionalOnMissingBean(name = RedisLockPropertiesConfiguration.TASK_DECORATOR_BEAN_NAME)
	TaskDecorator redisLockTaskDecorator(ObservationRegistry registry) {
		// The listeners of an application may use other registries.
		return new LockObservationListener(registry, null)::decorate;
	}

}
