package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.redislock.internal.interceptor.declaration.ClassKinds;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionSource;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods of an application's classes that have a declaration, and the advice around
 * their calls. The declarations are cached.
 * <p>
 * A declaration also applies to methods that override or implement the method that has
 * it. Thread-safe.
 *
 * @param <D> the type of the declarations
 * @param <M> the type of the methods that were read and checked, and are ready to be
 * called
 */
public abstract class AdvisedMethods<D, M> extends StaticMethodMatcherPointcutAdvisor
		implements MethodInterceptor, BeanFactoryAware {

	private static final long serialVersionUID = 1L;

	private final transient LockDefinitionSource source;

	private final transient Map<Class<?>, Map<Method, D>> definitions = new ConcurrentHashMap<>();

	private final transient Map<MethodClassKey, M> methods = new ConcurrentHashMap<>();

	private transient @Nullable ConfigurableListableBeanFactory beanFactory;

	AdvisedMethods(LockDefinitionSource source, int order) {
		this.source = source;
		setOrder(order);
		setAdvice(this);
		setClassFilter((type) -> !definitions(type).isEmpty());
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	/**
	 * Return the declarations of a class.
	 * @return the declarations by method, sorted by signature; each key is the method
	 * that actually runs, which may be inherited
	 */
	public Map<Method, D> definitions(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Map<Method, D> known = this.definitions.get(userClass);
		return (known != null) ? known : this.definitions.computeIfAbsent(userClass, this::scan);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return findEntry(method, ClassUtils.getUserClass(targetClass)) != null
				|| findEntry(method, method.getDeclaringClass()) != null;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		M method = find(invocation.getMethod(), targetClass);
		if (method != null) {
			return call(method, invocation, targetClass);
		}
		if (invocation instanceof ProxyMethodInvocation proxied) {
			for (Class<?> type : typesOf(targetClass, proxied.getProxy())) {
				method = find(invocation.getMethod(), type);
				if (method != null) {
					return call(method, invocation, type);
				}
			}
		}
		return invocation.proceed();
	}

	/**
	 * Return the types whose declarations apply to a bean: the class of its target, and
	 * the interfaces that only its proxy implements, such as those of repositories, HTTP
	 * clients and mixins.
	 */
	public static List<Class<?>> typesOf(Class<?> targetClass, Object bean) {
		List<Class<?>> types = new ArrayList<>(ClassUtils.getAllInterfacesForClassAsSet(bean.getClass()));
		types.removeIf((type) -> type.isAssignableFrom(targetClass));
		types.add(0, targetClass);
		return types;
	}

	/**
	 * Return the interfaces of a type, and those that they extend, which Spring's
	 * {@link ClassUtils} leaves out.
	 */
	public static Stream<Class<?>> interfacesOf(Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.flatMap((face) -> Stream.concat(Stream.of(face),
					Arrays.stream(face.getInterfaces()).flatMap(AdvisedMethods::interfacesOf)))
			.distinct();
	}

	/**
	 * Return a method that is ready to be called, and read its declaration if needed.
	 * @return the method, or {@code null} if nothing was declared on it
	 * @throws LockSetupException if the declaration cannot work
	 */
	public @Nullable M find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		M known = this.methods.get(key);
		if (known != null) {
			return known;
		}
		Entry<Method, D> entry = findEntry(method, userClass);
		if (entry == null) {
			return null;
		}
		M read = read(entry.getKey(), userClass, entry.getValue());
		this.methods.put(key, read);
		return read;
	}

	/**
	 * Check the beans that the methods need. Called after all singletons have been
	 * created.
	 * @throws LockSetupException if a bean is missing or cannot be used
	 */
	public abstract void checkBeans();

	/**
	 * Return an exception that says why a method cannot be advised.
	 * @param problem what is wrong, as the end of a sentence
	 * @param action what to do now, as a sentence
	 */
	public abstract LockSetupException invalid(Method method, Class<?> targetClass, String problem, String action);

	/**
	 * Return what was declared on a method, or on one that it overrides or implements.
	 */
	abstract @Nullable D declared(Method method);

	/**
	 * Return what was declared on a method's type. Called only if nothing was declared on
	 * the method itself.
	 * @param specific the method that actually runs
	 */
	@Nullable D declaredOnType(Method method, Method specific) {
		return null;
	}

	abstract M read(Method method, Class<?> targetClass, D definition);

	abstract @Nullable Object call(M method, MethodInvocation invocation, Class<?> targetClass) throws Throwable;

	final Collection<M> known() {
		return this.methods.values();
	}

	final LockDefinitionSource source() {
		return this.source;
	}

	/**
	 * Return the bean factory of the advised beans.
	 */
	public final ConfigurableListableBeanFactory beanFactory() {
		ConfigurableListableBeanFactory beanFactory = this.beanFactory;
		Assert.state(beanFactory != null, "No bean factory was set");
		return beanFactory;
	}

	private @Nullable Entry<Method, D> findEntry(Method method, Class<?> userClass) {
		Map<Method, D> candidates = definitions(userClass);
		if (candidates.isEmpty()) {
			return null;
		}
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		// Two interfaces of a proxy may have the same method.
		boolean bySignature = userClass.isInterface() || ClassKinds.isGenerated(userClass);
		return candidates.entrySet()
			.stream()
			.filter((each) -> each.getKey().equals(specific) || (bySignature && sameSignature(each.getKey(), method)))
			.findFirst()
			.orElse(null);
	}

	private Map<Method, D> scan(Class<?> type) {
		if (!this.source.isCandidate(type)) {
			return Map.of();
		}
		boolean generated = ClassKinds.isGenerated(type);
		List<Method> methods = new ArrayList<>();
		if (!generated) {
			ReflectionUtils.doWithMethods(type, methods::add,
					(method) -> ReflectionUtils.USER_DECLARED_METHODS.matches(method)
							&& !method.getDeclaringClass().isInterface());
		}
		// A method may implement an interface that its own class does not declare.
		interfacesOf(type).forEach((face) -> Collections.addAll(methods, ReflectionUtils.getDeclaredMethods(face)));
		// Of several interfaces of a proxy, the first one counts. Different methods may
		// have the same short signature.
		Map<Method, D> found = new TreeMap<>(Comparator.comparing(MethodNames::signature)
			.thenComparing(methods::indexOf)
			.thenComparing(Method::toString));
		UnaryOperator<Method> toSpecific = (method) -> generated ? method
				: AopUtils.getMostSpecificMethod(method, type);
		methods.forEach((method) -> found.computeIfAbsent(toSpecific.apply(method), (specific) -> declared(method)));
		methods.forEach((method) -> found.computeIfAbsent(toSpecific.apply(method),
				(specific) -> declaredOnType(method, specific)));
		return Collections.unmodifiableMap(found);
	}

	private static boolean sameSignature(Method one, Method other) {
		return one.getName().equals(other.getName())
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

}
