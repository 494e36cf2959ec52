package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.LockTimer;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link LockStore}.
 * <p>
 * No condition requires Redis, so startup fails with an explanation if Redis is needed
 * but missing.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnMissingBean({ LockStore.class, LockOperations.class })
@Import(RedisLockPropertiesConfiguration.class)
public final class RedisLockStoreAutoConfiguration {

	private static final Log logger = LogFactory.getLog(RedisLockStoreAutoConfiguration.class);

	static final String STORE_BEAN_NAME = "redisLockStore";

	/**
	 * Return the store, which the template closes.
	 */
	@Bean(name = STORE_BEAN_NAME, destroyMethod = "")
	LockStore redisLockStore(RedisLockProperties properties, ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<LockTimer> timer) {
		return switch (properties.store()) {
			case REDIS -> RedisStoreFactory.create(properties, beanFactory);
			case IN_MEMORY -> {
				logger.warn("Locks are kept only in the memory of this process, because of 'redis-lock.store=in-memory'"
						+ UnlockedMethodsReporter
							.framed("LOCKS IN MEMORY: other instances do not see them. For tests, or one instance."));
				LockTimer custom = timer.getIfAvailable();
				yield (custom != null) ? new InMemoryLockStore(custom) : new InMemoryLockStore();
			}
		};
	}

}
