package io.github.redislock.annotation;

import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.check.LockedBeanChecker;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers the beans that make {@link DistributedLock} and {@link LeaderOnly} work.
 * <p>
 * The proxy creator is one of them: without it the advice would have no effect, and
 * methods would silently run unlocked.
 */
public final class DistributedLockRegistrar implements ImportBeanDefinitionRegistrar {

	private static final String PREFIX = "io.github.redislock.annotation.";

	private static final String SOURCE_BEAN_NAME = PREFIX + "distributedLockSource";

	private static final String LOCKED_BEAN_NAME = PREFIX + "lockedMethods";

	private static final String LEADER_ONLY_BEAN_NAME = PREFIX + "leaderOnlyMethods";

	private static final String CHECKER_BEAN_NAME = PREFIX + "lockedBeanChecker";

	DistributedLockRegistrar() {
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		AnnotationAttributes attributes = AnnotationAttributes
			.fromMap(metadata.getAnnotationAttributes(EnableDistributedLocks.class.getName()));
		if (attributes == null) {
			throw new IllegalStateException("Import this class with @EnableDistributedLocks");
		}
		register(registry, attributes.getNumber("order"), attributes.getBoolean("proxyTargetClass"));
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
		if (registry.containsBeanDefinition(LOCKED_BEAN_NAME)) {
			return;
		}
		register(registry, SOURCE_BEAN_NAME, DistributedLockSource.class);
		RuntimeBeanReference source = new RuntimeBeanReference(SOURCE_BEAN_NAME);
		register(registry, LOCKED_BEAN_NAME, LockedMethods.class, source, order);
		register(registry, LEADER_ONLY_BEAN_NAME, LeaderOnlyMethods.class, source);
		register(registry, CHECKER_BEAN_NAME, LockedBeanChecker.class, new RuntimeBeanReference(LOCKED_BEAN_NAME),
				new RuntimeBeanReference(LEADER_ONLY_BEAN_NAME));
	}

	private static void register(BeanDefinitionRegistry registry, String name, Class<?> type, Object... arguments) {
		RootBeanDefinition definition = new RootBeanDefinition(type);
		definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
		for (int i = 0; i < arguments.length; i++) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(i, arguments[i]);
		}
		registry.registerBeanDefinition(name, definition);
	}

}
