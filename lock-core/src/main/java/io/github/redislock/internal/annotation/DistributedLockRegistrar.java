package io.github.redislock.internal.annotation;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.annotation.LeaderOnly;
import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.check.LockedBeanChecker;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.StringUtils;

/**
 * Registers the beans that make {@link DistributedLock} and {@link LeaderOnly} work.
 * <p>
 * The proxy creator is one of them, because without it the advice would have no effect.
 */
public final class DistributedLockRegistrar implements ImportBeanDefinitionRegistrar {

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		MergedAnnotation<EnableDistributedLocks> enabled = metadata.getAnnotations().get(EnableDistributedLocks.class);
		register(registry, enabled.getInt("order"), enabled.getBoolean("proxyTargetClass"));
	}

	/**
	 * Register the beans, unless they are already registered.
	 * @param registry the application's bean definitions
	 * @param order the order of the lock among other advice
	 * @param proxyTargetClass whether to proxy classes even if a bean implements an
	 * interface
	 */
	public static void register(BeanDefinitionRegistry registry, int order, boolean proxyTargetClass) {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		if (proxyTargetClass) {
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
		}
		if (registry.containsBeanDefinition(beanName(LockedMethods.class))) {
			return;
		}
		RuntimeBeanReference source = register(registry, DistributedLockSource.class);
		RuntimeBeanReference locked = register(registry, LockedMethods.class, source, order);
		RuntimeBeanReference leaderOnly = register(registry, LeaderOnlyMethods.class, source);
		register(registry, LockedBeanChecker.class, locked, leaderOnly);
	}

	private static RuntimeBeanReference register(BeanDefinitionRegistry registry, Class<?> type, Object... arguments) {
		RootBeanDefinition definition = new RootBeanDefinition(type);
		definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
		for (int i = 0; i < arguments.length; i++) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(i, arguments[i]);
		}
		registry.registerBeanDefinition(beanName(type), definition);
		return new RuntimeBeanReference(beanName(type));
	}

	private static String beanName(Class<?> type) {
		return "io.github.redislock.annotation." + StringUtils.uncapitalize(type.getSimpleName());
	}

}
