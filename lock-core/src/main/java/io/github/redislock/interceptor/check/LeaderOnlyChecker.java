package io.github.redislock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import io.github.redislock.interceptor.LeaderAdvisor;
import io.github.redislock.interceptor.declaration.LockSetupException;
import io.github.redislock.interceptor.declaration.MethodNames;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes sure that leader-only methods run on the leader only: startup fails for an
 * unknown role, or for a method that no proxy can skip.
 */
public final class LeaderOnlyChecker implements SmartInitializingSingleton {

	private static final int SEEN_BY_SUBCLASSES = Modifier.PUBLIC | Modifier.PROTECTED;

	private final LeaderAdvisor advisor;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a checker.
	 * @param advisor the advisor that skips calls
	 * @param beanFactory has the beans to check
	 */
	public LeaderOnlyChecker(LeaderAdvisor advisor, ConfigurableListableBeanFactory beanFactory) {
		this.advisor = advisor;
		this.beanFactory = beanFactory;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(name);
			if (bean != null) {
				Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
				this.advisor.methods(type).keySet().forEach((method) -> check(method, type, bean));
			}
		}
	}

	private void check(Method method, Class<?> type, Object bean) {
		if (!isSkippedBy(bean) || !isIntercepted(method, bean)) {
			throw new LockSetupException(
					("Method '%s' is for a leader only, but no proxy can skip its calls, so it would run in each"
							+ " instance.")
						.formatted(MethodNames.describe(method, type)),
					"Make the method neither private, static nor final, and public if the proxy has interfaces only;"
							+ " and let its bean not be made early, as by a BeanPostProcessor.",
					null);
		}
		this.advisor.roleOf(method, type);
	}

	private boolean isSkippedBy(Object bean) {
		return bean instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch((advisor) -> advisor instanceof LeaderAdvisor);
	}

	private static boolean isIntercepted(Method method, Object bean) {
		if (Modifier.isStatic(method.getModifiers())) {
			return false;
		}
		if (AopUtils.isJdkDynamicProxy(bean)) {
			return Arrays.stream(bean.getClass().getInterfaces())
				.flatMap((type) -> Arrays.stream(type.getMethods()))
				.anyMatch((candidate) -> AopUtils
					.getMostSpecificMethod(candidate, AopProxyUtils.ultimateTargetClass(bean))
					.equals(method));
		}
		boolean inOtherPackage = !method.getDeclaringClass().getPackageName().equals(bean.getClass().getPackageName());
		boolean seen = (method.getModifiers() & SEEN_BY_SUBCLASSES) != 0 || !inOtherPackage;
		return seen && !Modifier.isPrivate(method.getModifiers()) && !Modifier.isFinal(method.getModifiers());
	}

}
