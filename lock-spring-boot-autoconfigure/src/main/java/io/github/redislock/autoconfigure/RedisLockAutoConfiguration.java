package io.github.redislock.autoconfigure;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockListener;
import io.github.redislock.LockOperations;
import io.github.redislock.event.LockEventPublisher;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link RedisLockTemplate}.
 * <p>
 * Backs off when the application has its own {@link LockOperations} bean.
 */
@AutoConfiguration(after = RedisLockStoreAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnMissingBean(LockOperations.class)
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockAutoConfiguration {

	@Bean
	RedisLockTemplate redisLockTemplate(LockStore store, LockConfiguration configuration,
			ObjectProvider<LockListener> listeners) {
		return new RedisLockTemplate(store, configuration.listeners(listeners.orderedStream().toList()));
	}

	@Bean
	LockEventPublisher redisLockEventPublisher(ApplicationEventPublisher publisher) {
		return new LockEventPublisher(publisher);
	}

	@Bean
	RedisLockTemplateLifecycle redisLockTemplateLifecycle(LockOperations template,
			ConfigurableApplicationContext context) {
		return new RedisLockTemplateLifecycle(template, context);
	}

}
