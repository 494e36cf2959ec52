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
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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

	/** Known by name, because the class may be missing from the class path. */
	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private static final Set<Class<?>> CALLBACKS = Set.of(InitializingBean.class, DisposableBean.class);

	Set<Method> advised() {
		return this.methods.definitions(this.targetClass).keySet();
	}

	/**
	 * Refuse a method that a proxy of the bean's class cannot intercept.
	 */
	void check(Method method) {
		if (Modifier.isPrivate(method.getModifiers())) {
			throw invalid(method, "it is private, and a proxy cannot intercept it", "Make it public.");
		}
		if (Modifier.isStatic(method.getModifiers())) {
			throw invalid(method, "it is static, and a proxy cannot intercept it", "Make it a method of the bean.");
		}
		if (isCalledOnTarget(method)) {
			throw invalid(method,
					"the container calls it directly, not through the proxy, when it creates or destroys the bean",
					"For work at startup, use a CommandLineRunner, or another method with"
							+ " @EventListener(ApplicationReadyEvent.class); for work at shutdown, use one with"
							+ " @EventListener(ContextClosedEvent.class).");
		}
		boolean isFace = this.targetClass.isInterface() || ClassKinds.isGenerated(this.targetClass);
		if (isFace || isProxiedByInterface(method)) {
			return;
		}
		boolean hidesConstructors = Arrays.stream(this.targetClass.getDeclaredConstructors())
			.allMatch((constructor) -> Modifier.isPrivate(constructor.getModifiers()));
		if (Modifier.isFinal(this.targetClass.getModifiers()) || this.targetClass.isSealed() || hidesConstructors) {
			throw invalid(method, "its class is %s, and a proxy cannot extend it".formatted(kind(this.targetClass)),
					"Open the class for extension, or let it implement an interface that has the method.");
		}
		if (Modifier.isFinal(method.getModifiers())) {
			throw invalid(method, "it is final, and a proxy cannot override it",
					"Remove 'final' (in Kotlin, add 'open').");
		}
		if (isHiddenByPackage(method, this.targetClass)) {
			throw invalid(method, "it is package-private in '%s', and a proxy in another package cannot override it"
				.formatted(method.getDeclaringClass().getName()), "Make it protected or public.");
		}
	}

	/**
	 * Refuse a method that none of the proxy's interfaces declares.
	 */
	void checkInterfaces(Method method, Class<?>... interfaces) {
		// A lock on a type applies only to methods that can be called through the proxy.
		boolean meant = !(this.methods.definitions(this.targetClass).get(method) instanceof LockDefinition lock
				&& lock.declaredOnType() != null);
		if (meant && !isInterfaceMethod(method, List.of(interfaces))) {
			throw invalid(method, "the bean's proxy implements only interfaces, and none of them has this method",
					"Add the method to an interface of the bean, or use class proxies"
							+ " (spring.aop.proxy-target-class=true, or proxyTargetClass = true where locks are"
							+ " enabled).");
		}
	}

	LockSetupException unproxied(Method method) {
		boolean isAspect = MergedAnnotations.from(this.targetClass, SearchStrategy.SUPERCLASS).isPresent(ASPECT);
		return invalid(method, "bean '%s' has no proxy that intercepts it".formatted(this.beanName), isAspect
				? "An aspect is never proxied: move the method to another bean, which the aspect calls."
				: "A bean that is created very early, for example because a BeanPostProcessor or a"
						+ " BeanFactoryPostProcessor needs it, or that was registered as an existing object, cannot be"
						+ " proxied: inject the bean lazily (ObjectProvider, @Lazy), or move the method to another"
						+ " bean.");
	}

	private LockSetupException invalid(Method method, String problem, String action) {
		return this.methods.invalid(method, this.targetClass, problem, action);
	}

	private boolean isInterfaceMethod(Method method, Collection<Class<?>> interfaces) {
		return method.getDeclaringClass().isInterface() || interfaces.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, this.targetClass).equals(method));
	}

	private boolean isCalledOnTarget(Method method) {
		String name = method.getName();
		boolean isCallback = ClassUtils.getAllInterfacesForClassAsSet(this.targetClass)
			.stream()
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
		if (type.isSealed()) {
			return "sealed";
		}
		return Modifier.isFinal(type.getModifiers()) ? "final" : "one with only private constructors";
	}

}
