package io.github.redislock.autoconfigure;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.internal.annotation.DistributedLockRegistrar;
import io.github.redislock.internal.interceptor.LockedMethods;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link DistributedLock}.
 * <p>
 * There is no condition on Redis or a template: if these are missing, startup must fail
 * instead of annotated methods running unlocked. Backs off when the application uses
 * {@link EnableDistributedLocks} itself.
 */
@AutoConfiguration(after = RedisLockAutoConfiguration.class)
@Conditional(OnLocksEnabledCondition.class)
// The post-processors of a parent context do not apply to the beans of its children.
@ConditionalOnMissingBean(value = LockedMethods.class, search = SearchStrategy.CURRENT)
@Import(DistributedLockAutoConfiguration.Registrar.class)
public final class DistributedLockAutoConfiguration {

	/**
	 * Registers the beans that the annotation needs. Reads the environment, because a
	 * properties bean would be created too early.
	 */
	static class Registrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		Registrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			int order = Binder.get(this.environment)
				.bind("redis-lock.order", Integer.class)
				.orElse(LockedMethods.DEFAULT_ORDER);
			boolean proxyTargetClass = this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class,
					true);
			DistributedLockRegistrar.register(registry, order, proxyTargetClass);
		}

	}

}
