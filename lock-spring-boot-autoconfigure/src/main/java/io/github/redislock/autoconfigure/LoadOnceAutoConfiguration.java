package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.cache.LoadOnceCacheManager;
import io.github.redislock.cache.LoadOnceListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the caches of
 * {@code redis-lock.cache.load-once}: puts a {@link LoadOnceCacheManager} around each
 * {@link CacheManager} bean.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
@Import(RedisLockPropertiesConfiguration.class)
public final class LoadOnceAutoConfiguration {

	private LoadOnceAutoConfiguration() {
	}

	/**
	 * Return a post-processor whose caches look up locks and listeners at each miss,
	 * because a cache manager may be created before them.
	 */
	@Bean
	static BeanPostProcessor redisLockLoadOnce(ObjectProvider<RedisLockProperties> properties,
			ObjectProvider<LockOperations> locks, ObjectProvider<LoadOnceListener> listeners) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (!(bean instanceof CacheManager caches) || properties.getObject().cache().loadOnce().isEmpty()) {
					return bean;
				}
				return new LoadOnceCacheManager(caches, locks::getObject, properties.getObject().cache().options(),
						(lock, outcome) -> listeners.ifUnique((listener) -> listener.missed(lock, outcome)));
			}

		};
	}

}
