package io.github.redislock.interceptor.check;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.LockOperations;
import io.github.redislock.interceptor.LockAdvisor;
import io.github.redislock.interceptor.LockedMethods;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.LockSetupException;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Makes sure that no locked method runs without its lock: startup fails for every mistake
 * that can be found beforehand.
 * <p>
 * Checks each bean when it is created, and all of them again at the end, since some are
 * created before this checker.
 */
public final class LockedBeanChecker
		implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	private static final Log logger = LogFactory.getLog(LockedBeanChecker.class);

	/**
	 * The name of the bean in which spring-test records the beans that a test has
	 * replaced. Those are not proxied.
	 */
	private static final String TEST_OVERRIDES = "org.springframework.test.context.bean.override"
			+ ".internalBeanOverrideRegistry";

	private final LockedMethods methods;

	private final TransactionOrder transactionOrder = new TransactionOrder();

	private final SharedDefaults sharedDefaults = new SharedDefaults();

	/** Advised beans that other beans got before they were complete. */
	private final Set<String> advisedEarly = ConcurrentHashMap.newKeySet();

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a checker.
	 * @param methods the locked methods
	 */
	public LockedBeanChecker(LockedMethods methods) {
		this.methods = methods;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		checkMethods(bean.getClass(), beanName);
		return true;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		// Records and products of factories skip the callback above.
		checkMethods(bean.getClass(), beanName);
		return bean;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		if (isAdvised(bean)) {
			this.advisedEarly.add(beanName);
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		// A bean in a circular dependency is not proxied here; other beans got its proxy.
		if (!this.advisedEarly.remove(beanName)) {
			checkBean(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = beanFactory();
		for (String name : beanFactory.getSingletonNames()) {
			Object bean = beanFactory.getSingleton(name);
			if (bean != null) {
				checkBean(bean, name);
			}
		}
		checkOperations(beanFactory);
	}

	private void checkBean(Object bean, String beanName) {
		if (bean instanceof AopInfrastructureBean) {
			return;
		}
		Class<?> targetClass = AopProxyUtils.ultimateTargetClass(bean);
		if (this.methods.definitions(targetClass).isEmpty()) {
			return;
		}
		if (!isAdvised(bean)) {
			refuseUnadvised(targetClass, beanName);
			return;
		}
		checkMethods(targetClass, beanName);
		if (bean instanceof Advised advised) {
			if (!advised.isProxyTargetClass()) {
				checkInterfaces(advised, targetClass);
			}
			this.transactionOrder.check(advised, targetClass, sorted(this.methods.definitions(targetClass)));
		}
		this.sharedDefaults.check(targetClass, sortedEntries(targetClass));
	}

	private void checkMethods(Class<?> targetClass, String beanName) {
		InvalidLockedMethodException first = null;
		for (Entry<Method, LockDefinition> entry : sortedEntries(targetClass)) {
			Method method = entry.getKey();
			try {
				this.methods.find(method, targetClass);
				ProxyRules.check(method, ClassUtils.getUserClass(targetClass), beanName, beanFactory());
			}
			catch (InvalidLockedMethodException ex) {
				InvalidLockedMethodException failure = ex.declaredBy(entry.getValue());
				if (first == null) {
					first = failure;
				}
				else {
					first.addSuppressed(failure);
				}
			}
		}
		if (first != null) {
			throw first;
		}
	}

	private void checkInterfaces(Advised proxy, Class<?> targetClass) {
		for (Entry<Method, LockDefinition> entry : sortedEntries(targetClass)) {
			Method method = entry.getKey();
			// A lock on a type applies to the methods that can be called.
			boolean meant = entry.getValue().declaredOnType() == null;
			if (meant && !ProxyRules.isInterfaceMethod(method, targetClass, List.of(proxy.getProxiedInterfaces()))) {
				throw new InvalidLockedMethodException(method, targetClass,
						"the bean's proxy has interfaces only, and none of them has this method",
						"Add the method to an interface of the bean, or proxy classes"
								+ " (spring.aop.proxy-target-class=true, or proxyTargetClass = true where locks are"
								+ " enabled).",
						null);
			}
		}
	}

	private void refuseUnadvised(Class<?> targetClass, String beanName) {
		Method method = sorted(this.methods.definitions(targetClass)).get(0);
		if (beanFactory().containsSingleton(TEST_OVERRIDES)) {
			logger.warn("Bean '%s' is not proxied, probably because a test replaced it: '%s' runs without its lock"
				.formatted(beanName, MethodNames.describe(method, targetClass)));
			return;
		}
		throw new InvalidLockedMethodException(method, targetClass,
				"bean '%s' has no proxy that locks, so the method would run unlocked".formatted(beanName),
				"A bean that is made very early, for example because a BeanPostProcessor or a"
						+ " BeanFactoryPostProcessor needs it, or that was registered as a ready object, cannot be"
						+ " proxied: inject it there lazily (ObjectProvider, @Lazy), or move the method to another"
						+ " bean.",
				null);
	}

	private void checkOperations(ConfigurableListableBeanFactory beanFactory) {
		if (this.methods.allNameTheirTemplate()) {
			return;
		}
		try {
			beanFactory.getBean(LockOperations.class);
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new LockSetupException(
					"Locked methods need one bean of type LockOperations, but there are several: %s."
						.formatted(ex.getBeanNamesFound()),
					"Mark with @Primary the one that locked methods must use. Or let each method name one (template).",
					ex);
		}
		catch (NoSuchBeanDefinitionException ex) {
			if (!LockOperations.class.equals(ex.getBeanType())) {
				throw ex;
			}
			throw new LockSetupException("Locked methods need a bean of type LockOperations, but there is none.",
					"Declare one, such as a RedisLockTemplate.", ex);
		}
	}

	private ConfigurableListableBeanFactory beanFactory() {
		if (this.beanFactory == null) {
			throw new IllegalStateException("no bean factory was set");
		}
		return this.beanFactory;
	}

	private static boolean isAdvised(Object bean) {
		if (!(bean instanceof Advised advised)) {
			// An opaque proxy does not show its advice.
			return bean instanceof SpringProxy;
		}
		for (Advisor advisor : advised.getAdvisors()) {
			if (advisor instanceof LockAdvisor) {
				return true;
			}
		}
		Object target = AopProxyUtils.getSingletonTarget(bean);
		return target != null && isAdvised(target);
	}

	private List<Entry<Method, LockDefinition>> sortedEntries(Class<?> targetClass) {
		return this.methods.definitions(targetClass)
			.entrySet()
			.stream()
			.sorted(Entry.comparingByKey(Comparator.comparing(MethodNames::signature)))
			.toList();
	}

	private static List<Method> sorted(Map<Method, LockDefinition> definitions) {
		return definitions.keySet().stream().sorted(Comparator.comparing(MethodNames::signature)).toList();
	}

}
