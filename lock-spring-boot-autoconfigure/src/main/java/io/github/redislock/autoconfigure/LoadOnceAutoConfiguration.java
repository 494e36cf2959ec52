package io.github.redislock.autoconfigure;

import io.github.redislock.LockOperations;
import io.github.redislock.cache.LoadOnceCacheManager;
import io.github.redislock.cache.LoadOnceListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
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

	private static final Log logger = LogFactory.getLog(LoadOnceAutoConfiguration.class);

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

	/**
	 * Return a check that there is a cache of each name, which may create the caches.
	 */
	@Bean
	static SmartInitializingSingleton redisLockLoadOnceCheck(RedisLockProperties properties,
			ObjectProvider<CacheManager> managers) {
		return () -> properties.cache()
			.loadOnce()
			.stream()
			.filter((name) -> managers.stream()
				.noneMatch((caches) -> name.equals("true") || caches.getCache(name) != null))
			.forEach((name) -> logger.warn(("'redis-lock.cache.load-once=%s' has no effect: there is no such cache, or"
					+ " @EnableCaching is missing")
				.formatted(name)));
	}

}
