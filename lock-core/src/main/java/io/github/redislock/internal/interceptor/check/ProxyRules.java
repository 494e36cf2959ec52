package io.github.redislock.internal.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.github.redislock.internal.interceptor.AdvisedMethods;
import io.github.redislock.internal.interceptor.declaration.ClassKinds;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Decides which of a bean's methods its proxy can intercept.
 *
 * @param methods all methods on which something was declared
 * @param targetClass the bean's class
 * @param beanName the bean's name
 */
record ProxyRules(AdvisedMethods<?, ?> methods, Class<?> targetClass, String beanName) {

	private static final Set<Class<?>> CALLBACKS = Set.of(InitializingBean.class, DisposableBean.class);

	Set<Method> advised() {
		return this.methods.definitions(this.targetClass).keySet();
	}

	/**
	 * Refuse a method that a proxy of the bean's class cannot intercept.
	 */
	void check(Method method) {
		if (isCalledOnTarget(method)) {
			throw invalid(method,
					"the container calls it directly, not through the proxy, when it creates or destroys the bean",
					"For work at startup, use a CommandLineRunner, or another method with"
							+ " @EventListener(ApplicationReadyEvent.class); for work at shutdown, use one with"
							+ " @EventListener(ContextClosedEvent.class).");
		}
		boolean isFace = this.targetClass.isInterface() || ClassKinds.isGenerated(this.targetClass);
		boolean needsOverride = !isFace && !isProxiedByInterface(method);
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)
				|| needsOverride && (Modifier.isFinal(modifiers) || isHiddenByPackage(method))) {
			throw invalid(method, "a proxy cannot intercept '%s'".formatted(method.toGenericString()),
					"Make it public or protected, and neither static nor final (in Kotlin, add 'open').");
		}
	}

	/**
	 * Refuse a method that none of the proxy's interfaces declares.
	 */
	void checkInterfaces(Method method, Class<?>... interfaces) {
		// A lock on a type applies only to methods that can be called through the proxy.
		boolean meant = !(this.methods.definitions(this.targetClass).get(method) instanceof LockDefinition lock
				&& lock.declaredOnType());
		if (meant && !isInterfaceMethod(method, List.of(interfaces))) {
			throw invalid(method, "the bean's proxy implements only interfaces, and none of them has this method",
					"Add the method to an interface of the bean, or use class proxies"
							+ " (spring.aop.proxy-target-class=true, or proxyTargetClass = true where locks are"
							+ " enabled).");
		}
	}

	LockSetupException unproxied(Method method) {
		return invalid(method, "bean '%s' has no proxy that intercepts it".formatted(this.beanName),
				"An aspect, a bean that is created very early, for example because a BeanPostProcessor or a"
						+ " BeanFactoryPostProcessor needs it, or one that was registered as an existing object, cannot"
						+ " be proxied: inject the bean lazily (ObjectProvider, @Lazy), or move the method to another"
						+ " bean.");
	}

	private LockSetupException invalid(Method method, String problem, String action) {
		return this.methods.invalid(method, this.targetClass, problem, action);
	}

	private boolean isInterfaceMethod(Method method, Collection<Class<?>> interfaces) {
		return method.getDeclaringClass().isInterface() || interfaces.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, this.targetClass).equals(method));
	}

	private boolean isCalledOnTarget(Method method) {
		String name = method.getName();
		boolean isCallback = AdvisedMethods.interfacesOf(this.targetClass)
			.filter((type) -> CALLBACKS.contains(type)
					|| (Aware.class.isAssignableFrom(type) && type.getName().startsWith("org.springframework.")))
			.anyMatch((type) -> ClassUtils.hasMethod(type, name, method.getParameterTypes()));
		if (isCallback || AnnotatedElementUtils.hasAnnotation(method, Autowired.class)) {
			return true;
		}
		ConfigurableListableBeanFactory beanFactory = this.methods.beanFactory();
		return method.getParameterCount() == 0 && beanFactory.containsBeanDefinition(this.beanName)
				&& beanFactory.getMergedBeanDefinition(this.beanName) instanceof RootBeanDefinition definition
				// The definition also lists @PostConstruct and @PreDestroy methods.
				&& (definition.isExternallyManagedInitMethod(name) || definition.isExternallyManagedDestroyMethod(name)
						|| ObjectUtils.containsElement(definition.getInitMethodNames(), name)
						|| ObjectUtils.containsElement(definition.getDestroyMethodNames(), name)
						|| isInferred(name, definition));
	}

	/**
	 * Return whether the container calls a method because of its name when it destroys
	 * the bean.
	 */
	private boolean isInferred(String name, RootBeanDefinition definition) {
		String[] declared = definition.getDestroyMethodNames();
		boolean isClosed = (declared != null)
				? ObjectUtils.containsElement(declared, AbstractBeanDefinition.INFER_METHOD)
				: AutoCloseable.class.isAssignableFrom(this.targetClass);
		return isClosed && !definition.isPrototype()
				&& name.equals(ClassUtils.hasMethod(this.targetClass, "close") ? "close" : "shutdown");
	}

	private boolean isProxiedByInterface(Method method) {
		ConfigurableListableBeanFactory beanFactory = this.methods.beanFactory();
		boolean proxyClasses = beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
			.isProxyTargetClass() || AutoProxyUtils.shouldProxyTargetClass(beanFactory, this.beanName);
		return !proxyClasses && isInterfaceMethod(method, ClassUtils.getAllInterfacesForClassAsSet(this.targetClass));
	}

	private boolean isHiddenByPackage(Method method) {
		int visible = Modifier.PUBLIC | Modifier.PROTECTED;
		return (method.getModifiers() & visible) == 0
				&& !method.getDeclaringClass().getPackageName().equals(this.targetClass.getPackageName());
	}

}
