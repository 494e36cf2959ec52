package io.github.redislock.annotation;

import io.github.redislock.interceptor.LeaderAdvisor;
import io.github.redislock.interceptor.LockAdvisor;
import io.github.redislock.interceptor.LockedMethods;
import io.github.redislock.interceptor.check.LeaderOnlyChecker;
import io.github.redislock.interceptor.check.LockedBeanChecker;

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
 * The proxy creator is one of them: without it the advisor would have no effect, and
 * methods would silently run unlocked.
 */
public final class DistributedLockRegistrar implements ImportBeanDefinitionRegistrar {

	/**
	 * The name of the bean that puts locks around annotated methods.
	 */
	public static final String ADVISOR_BEAN_NAME = "io.github.redislock.annotation.distributedLockAdvisor";

	private static final String SOURCE_BEAN_NAME = "io.github.redislock.annotation.distributedLockSource";

	private static final String METHODS_BEAN_NAME = "io.github.redislock.annotation.distributedLockMethods";

	private static final String LEADER_SOURCE_BEAN_NAME = "io.github.redislock.annotation.leaderOnlySource";

	private static final String LEADER_ADVISOR_BEAN_NAME = "io.github.redislock.annotation.leaderOnlyAdvisor";

	private static final String LEADER_CHECKER_BEAN_NAME = "io.github.redislock.annotation.leaderOnlyChecker";

	private static final String CHECKER_BEAN_NAME = "io.github.redislock.annotation.distributedLockChecker";

	DistributedLockRegistrar() {
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		AnnotationAttributes attributes = AnnotationAttributes
			.fromMap(metadata.getAnnotationAttributes(EnableDistributedLocks.class.getName()));
		if (attributes == null) {
			throw new IllegalStateException("Import it with @EnableDistributedLocks");
		}
		register(registry, attributes.getNumber("order"), attributes.getBoolean("proxyTargetClass"));
	}

	/**
	 * Register these beans, unless that was done already.
	 * @param registry the application's bean definitions
	 * @param order the place of the lock among other advice
	 * @param proxyTargetClass whether to proxy classes even if a bean implements an
	 * interface
	 */
	public static void register(BeanDefinitionRegistry registry, int order, boolean proxyTargetClass) {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		if (proxyTargetClass) {
			AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
		}
		if (registry.containsBeanDefinition(ADVISOR_BEAN_NAME)) {
			return;
		}
		registry.registerBeanDefinition(SOURCE_BEAN_NAME, infrastructure(DistributedLockSource.class));

		RootBeanDefinition methods = infrastructure(LockedMethods.class);
		methods.getConstructorArgumentValues().addGenericArgumentValue(new RuntimeBeanReference(SOURCE_BEAN_NAME));
		registry.registerBeanDefinition(METHODS_BEAN_NAME, methods);

		RootBeanDefinition advisor = infrastructure(LockAdvisor.class);
		advisor.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		advisor.getPropertyValues().add("order", order);
		registry.registerBeanDefinition(ADVISOR_BEAN_NAME, advisor);

		RootBeanDefinition checker = infrastructure(LockedBeanChecker.class);
		checker.getConstructorArgumentValues().addGenericArgumentValue(new RuntimeBeanReference(METHODS_BEAN_NAME));
		registry.registerBeanDefinition(CHECKER_BEAN_NAME, checker);
		registerLeaderOnly(registry);
	}

	private static void registerLeaderOnly(BeanDefinitionRegistry registry) {
		registry.registerBeanDefinition(LEADER_SOURCE_BEAN_NAME, infrastructure(LeaderOnlySource.class));
		RootBeanDefinition advisor = infrastructure(LeaderAdvisor.class);
		advisor.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		advisor.getConstructorArgumentValues()
			.addIndexedArgumentValue(0, new RuntimeBeanReference(LEADER_SOURCE_BEAN_NAME));
		registry.registerBeanDefinition(LEADER_ADVISOR_BEAN_NAME, advisor);
		RootBeanDefinition checker = infrastructure(LeaderOnlyChecker.class);
		checker.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		registry.registerBeanDefinition(LEADER_CHECKER_BEAN_NAME, checker);
	}

	private static RootBeanDefinition infrastructure(Class<?> type) {
		RootBeanDefinition definition = new RootBeanDefinition(type);
		definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
		return definition;
	}

}
