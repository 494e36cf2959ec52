package io.github.redislock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;

import io.github.redislock.interceptor.declaration.ClassKinds;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Decides which methods a bean's proxy can intercept.
 */
final class ProxyRules {

	private ProxyRules() {
	}

	/**
	 * Refuse a method that a proxy made from the bean's class would not see.
	 */
	static void check(Method method, Class<?> targetClass, String beanName,
			ConfigurableListableBeanFactory beanFactory) {
		if (isCalledOnTarget(method, targetClass, beanName, beanFactory)) {
			throw new InvalidLockedMethodException(method, targetClass,
					"the container calls it directly, not through the proxy, when it creates or destroys the bean",
					"At startup, do the work in a CommandLineRunner, or in another method with"
							+ " @EventListener(ApplicationReadyEvent.class); at the end, in one with"
							+ " @EventListener(ContextClosedEvent.class).",
					null);
		}
		if (ClassKinds.isGenerated(targetClass) || isProxiedByInterface(method, targetClass, beanName, beanFactory)) {
			return;
		}
		if (Modifier.isFinal(targetClass.getModifiers()) || targetClass.isSealed()) {
			throw new InvalidLockedMethodException(method, targetClass,
					"its class is %s, and a proxy cannot extend it".formatted(kind(targetClass)),
					"Open the class for extension, or let it implement an interface that has the method.", null);
		}
		if (Modifier.isFinal(method.getModifiers())) {
			throw new InvalidLockedMethodException(method, targetClass, "it is final, and a proxy cannot override it",
					"Remove 'final' (in Kotlin, add 'open').", null);
		}
		if (isHiddenByPackage(method, targetClass)) {
			throw new InvalidLockedMethodException(method, targetClass,
					"it is package-private in '%s', and a proxy in another package cannot override it"
						.formatted(method.getDeclaringClass().getName()),
					"Make it protected or public.", null);
		}
	}

	/**
	 * Return whether a method implements one of some interfaces.
	 */
	static boolean isInterfaceMethod(Method method, Class<?> targetClass, Collection<Class<?>> interfaces) {
		return method.getDeclaringClass().isInterface() || interfaces.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, targetClass).equals(method));
	}

	private static boolean isCalledOnTarget(Method method, Class<?> targetClass, String beanName,
			ConfigurableListableBeanFactory beanFactory) {
		String name = method.getName();
		if (method.getParameterCount() > 0) {
			return false;
		}
		if ((name.equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(targetClass))
				|| (name.equals("destroy") && DisposableBean.class.isAssignableFrom(targetClass))) {
			return true;
		}
		return beanFactory.containsBeanDefinition(beanName)
				&& beanFactory.getMergedBeanDefinition(beanName) instanceof RootBeanDefinition definition
				// Methods with @PostConstruct and @PreDestroy are also registered here.
				&& (definition.isExternallyManagedInitMethod(name) || definition.isExternallyManagedDestroyMethod(name)
						|| ObjectUtils.containsElement(definition.getInitMethodNames(), name)
						|| ObjectUtils.containsElement(definition.getDestroyMethodNames(), name));
	}

	private static boolean isProxiedByInterface(Method method, Class<?> targetClass, String beanName,
			ConfigurableListableBeanFactory beanFactory) {
		boolean proxyClasses = beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
			.isProxyTargetClass() || AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName);
		return !proxyClasses
				&& isInterfaceMethod(method, targetClass, ClassUtils.getAllInterfacesForClassAsSet(targetClass));
	}

	private static boolean isHiddenByPackage(Method method, Class<?> targetClass) {
		int visible = Modifier.PUBLIC | Modifier.PROTECTED;
		return (method.getModifiers() & visible) == 0
				&& !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName());
	}

	private static String kind(Class<?> type) {
		if (type.isRecord()) {
			return "a record";
		}
		if (type.isEnum()) {
			return "an enum";
		}
		return type.isSealed() ? "sealed" : "final";
	}

}
