package io.github.redislock.internal.interceptor.check;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.internal.interceptor.AdvisedMethods;
import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Detects locked methods that would run without their lock, and leader-only methods that
 * would run in every instance. Startup fails for each mistake that can be detected at
 * that time.
 * <p>
 * Checks each bean when it is created, and checks all singletons again after they have
 * been created, because some are created before this checker.
 */
public final class LockedBeanChecker implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockedBeanChecker.class);

	/**
	 * The name of the bean in which spring-test records the beans that a test has
	 * replaced. Those are not proxied.
	 */
	private static final String TEST_OVERRIDES = "org.springframework.test.context.bean.override"
			+ ".internalBeanOverrideRegistry";

	private final LockedMethods locked;

	private final List<AdvisedMethods<?, ?>> all;

	private final SharedDefaults sharedDefaults = new SharedDefaults();

	/** Classes that were checked for probable mistakes. */
	private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Advised beans that were injected into other beans before their own initialization
	 * was complete.
	 */
	private final Set<String> advisedEarly = ConcurrentHashMap.newKeySet();

	/**
	 * Create a checker.
	 * @param locked the locked methods
	 * @param leaderOnly the methods that only a leader runs
	 */
	public LockedBeanChecker(LockedMethods locked, LeaderOnlyMethods leaderOnly) {
		this.locked = locked;
		this.all = List.of(locked, leaderOnly);
	}

	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		this.all.forEach((methods) -> checkMethods(new ProxyRules(methods, type, beanName)));
		return true;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		// Spring does not call the method above for records.
		postProcessAfterInstantiation(bean, beanName);
		return bean;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		if (this.all.stream().anyMatch((methods) -> isAdvised(bean, methods, bean.getClass()))) {
			this.advisedEarly.add(beanName);
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		// A bean in a circular dependency is not proxied here, because other beans
		// already got its proxy.
		if (!this.advisedEarly.remove(beanName)) {
			checkBean(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = this.locked.beanFactory();
		for (String name : beanFactory.getSingletonNames()) {
			Object bean = beanFactory.getSingleton(name);
			if (bean != null) {
				checkBean(bean, name);
			}
			if (bean instanceof FactoryBean<?> factory && factory.isSingleton()
					&& isDeclaredOn(beanFactory.getType(name, false))) {
				checkProduct(name);
			}
		}
		this.all.forEach(AdvisedMethods::checkBeans);
	}

	/**
	 * Return whether a type has declarations. The objects of factories are created late,
	 * or may have been created before this checker.
	 */
	private boolean isDeclaredOn(@Nullable Class<?> type) {
		return type != null && this.all.stream().anyMatch((methods) -> !methods.definitions(type).isEmpty());
	}

	private void checkProduct(String name) {
		try {
			checkBean(this.locked.beanFactory().getBean(name), name);
		}
		catch (BeanCreationException ex) {
			if (ex.contains(LockSetupException.class)) {
				throw ex;
			}
			logger.debug("The product of '%s' is checked when it can be created".formatted(name), ex);
		}
	}

	private void checkBean(Object bean, String beanName) {
		boolean makesProxies = bean instanceof Advised && !(bean instanceof SpringProxy);
		if (makesProxies || bean instanceof AopInfrastructureBean) {
			return;
		}
		Class<?> targetClass = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		AdvisedMethods.typesOf(targetClass, bean).forEach((type) -> checkBean(bean, type, beanName));
	}

	private void checkBean(Object bean, Class<?> type, String beanName) {
		this.all.forEach((methods) -> checkProxy(bean, new ProxyRules(methods, type, beanName)));
		if (isDeclaredOn(type) && this.warned.add(type)) {
			this.all.forEach((methods) -> new SelfCalls(methods, type).report());
			Map<Method, LockDefinition> definitions = this.locked.definitions(type);
			if (bean instanceof Advised advised) {
				TransactionOrder.check(advised, type, definitions.keySet());
			}
			this.sharedDefaults.check(type, definitions);
			logger.debug("Only these methods of '%s' are locked: %s".formatted(type.getName(),
					definitions.keySet().stream().map(MethodNames::signature).toList()));
		}
	}

	private void checkProxy(Object bean, ProxyRules rules) {
		Set<Method> methods = rules.advised();
		if (methods.isEmpty()) {
			return;
		}
		if (!isAdvised(bean, rules.methods(), rules.targetClass())) {
			refuseUnadvised(methods.iterator().next(), rules);
			return;
		}
		checkMethods(rules);
		if (bean instanceof Advised advised && !advised.isProxyTargetClass()) {
			methods.forEach((method) -> rules.checkInterfaces(method, advised.getProxiedInterfaces()));
		}
	}

	private static void checkMethods(ProxyRules rules) {
		LockSetupException first = null;
		for (Method method : rules.advised()) {
			try {
				rules.check(method);
				rules.methods().find(method, rules.targetClass());
			}
			catch (LockSetupException ex) {
				if (first == null) {
					first = ex;
				}
				else {
					first.addSuppressed(ex);
				}
			}
		}
		if (first != null) {
			throw first;
		}
	}

	private void refuseUnadvised(Method method, ProxyRules rules) {
		if (!this.locked.beanFactory().containsSingleton(TEST_OVERRIDES)) {
			throw rules.unproxied(method);
		}
		logger.warn("Bean '%s' is not proxied, probably because a test replaced it: '%s' runs without its advice"
			.formatted(rules.beanName(), MethodNames.describe(method, rules.targetClass())));
	}

	private static boolean isAdvised(Object bean, AdvisedMethods<?, ?> methods, Class<?> type) {
		if (!(bean instanceof Advised advised)) {
			// An opaque proxy does not show its advice.
			return bean instanceof SpringProxy;
		}
		for (Advisor advisor : advised.getAdvisors()) {
			if (methods.getClass().isInstance(advisor)) {
				return true;
			}
			// A mixin handles the calls of its methods: advice behind it never runs.
			if (advisor instanceof IntroductionAdvisor mixin && List.of(mixin.getInterfaces()).contains(type)) {
				return false;
			}
		}
		Object target = AopProxyUtils.getSingletonTarget(bean);
		return target != null && isAdvised(target, methods, type);
	}

}
