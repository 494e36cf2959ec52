package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.redislock.LockTarget;
import io.github.redislock.interceptor.declaration.ClassKinds;
import io.github.redislock.interceptor.declaration.DeclaredText;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.LockDefinitionSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The locked methods of an application's classes, each looked up and read once.
 * <p>
 * A method is locked if a lock was declared on it, or on a method that it overrides or
 * implements. A public method is also locked if a lock was declared on its type.
 * Thread-safe.
 */
public final class LockedMethods implements BeanFactoryAware {

	private static final Log logger = LogFactory.getLog(LockedMethods.class);

	private final LockDefinitionSource source;

	private final Map<Class<?>, Map<Method, LockDefinition>> definitions = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, LockedMethod> methods = new ConcurrentHashMap<>();

	private final List<Consumer<LockTarget>> exampleListeners = new CopyOnWriteArrayList<>();

	private DeclaredText text = DeclaredText.AS_IS;

	private @Nullable BeanFactory beanFactory;

	/**
	 * Create the locked methods that a source knows.
	 * @param source knows which methods are locked
	 */
	public LockedMethods(LockDefinitionSource source) {
		this.source = source;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		if (beanFactory instanceof ConfigurableBeanFactory configurable) {
			this.text = DeclaredText.resolvedBy(configurable);
			this.beanFactory = configurable;
		}
	}

	/**
	 * Return the methods of a class that must be locked.
	 * @param type a class
	 * @return those that are really run, which may be inherited ones
	 */
	public Set<Method> of(Class<?> type) {
		return Collections.unmodifiableSet(definitions(type).keySet());
	}

	/**
	 * Return the declarations of a class.
	 * @return by the method that really runs, which may be inherited
	 */
	public Map<Method, LockDefinition> definitions(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Map<Method, LockDefinition> known = this.definitions.get(userClass);
		return (known != null) ? known : this.definitions.computeIfAbsent(userClass, this::scan);
	}

	/**
	 * Return whether a method is locked, in a class that may inherit or implement it.
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		return findEntry(method, ClassUtils.getUserClass(targetClass)) != null;
	}

	/**
	 * Return a locked method, ready to be called.
	 * @return the method, or {@code null} if it is not locked
	 * @throws InvalidLockedMethodException if it was declared in a way that cannot work
	 */
	public @Nullable LockedMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		LockedMethod known = this.methods.get(key);
		if (known != null) {
			return known;
		}
		Entry<Method, LockDefinition> entry = findEntry(method, userClass);
		if (entry == null) {
			return null;
		}
		LockedMethod read = LockedMethod.read(entry.getKey(), userClass, entry.getValue(), this.text, this.beanFactory,
				definitions(userClass).keySet());
		this.methods.put(key, read);
		LockTarget example = read.target().example();
		this.exampleListeners.forEach((listener) -> tell(listener, example));
		return read;
	}

	/**
	 * Report a method that was read late. It can be called even if the listener fails.
	 */
	private static void tell(Consumer<LockTarget> listener, LockTarget example) {
		try {
			listener.accept(example);
		}
		catch (RuntimeException ex) {
			logger.warn("Lock '%s' could not be declared to metrics".formatted(example), ex);
		}
	}

	/**
	 * Return whether all methods that were read name the bean that takes their lock.
	 */
	public boolean allNameTheirTemplate() {
		return !this.methods.isEmpty()
				&& this.methods.values().stream().noneMatch((method) -> method.template().isEmpty());
	}

	/**
	 * Report the locks of the methods, as metrics see them: one target for each declared
	 * name, with the text of expressions in place of their values.
	 * @param listener called with example targets, which must not be locked. It is called
	 * for the methods that have been read, and for each further one when its bean is
	 * created; for some methods perhaps twice
	 */
	public void onExample(Consumer<LockTarget> listener) {
		this.exampleListeners.add(listener);
		this.methods.values().forEach((method) -> listener.accept(method.target().example()));
	}

	private @Nullable Entry<Method, LockDefinition> findEntry(Method method, Class<?> userClass) {
		Map<Method, LockDefinition> candidates = definitions(userClass);
		if (candidates.isEmpty()) {
			return null;
		}
		if (ClassKinds.isGenerated(userClass)) {
			return candidates.entrySet()
				.stream()
				.filter((entry) -> sameSignature(entry.getKey(), method))
				.findFirst()
				.orElse(null);
		}
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		LockDefinition definition = candidates.get(specific);
		return (definition != null) ? Map.entry(specific, definition) : null;
	}

	private Map<Method, LockDefinition> scan(Class<?> type) {
		if (!this.source.isCandidate(type)) {
			return Map.of();
		}
		Map<Method, LockDefinition> found = new LinkedHashMap<>();
		boolean generated = ClassKinds.isGenerated(type);
		if (!generated) {
			ReflectionUtils.doWithMethods(type,
					(method) -> add(found, method, AopUtils.getMostSpecificMethod(method, type)),
					ReflectionUtils.USER_DECLARED_METHODS);
		}
		// A method may implement an interface that its own class does not declare.
		for (Class<?> face : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			for (Method method : face.getMethods()) {
				add(found, method, generated ? method : AopUtils.getMostSpecificMethod(method, type));
			}
		}
		addOfTypes(found, type, generated);
		return found.isEmpty() ? Map.of() : found;
	}

	/**
	 * Add the public methods of types with a declared lock. A declaration on the method
	 * wins, then one on its class, then on its interfaces.
	 */
	private void addOfTypes(Map<Method, LockDefinition> found, Class<?> type, boolean generated) {
		if (!generated) {
			ReflectionUtils.doWithMethods(type, (method) -> addOfType(found, method, method), (method) -> {
				boolean own = ReflectionUtils.USER_DECLARED_METHODS.matches(method)
						&& !method.getDeclaringClass().isInterface();
				return own && method.equals(AopUtils.getMostSpecificMethod(method, type));
			});
		}
		for (Class<?> face : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			for (Method method : face.getMethods()) {
				addOfType(found, method, generated ? method : AopUtils.getMostSpecificMethod(method, type));
			}
		}
	}

	private void addOfType(Map<Method, LockDefinition> found, Method method, Method specific) {
		int modifiers = specific.getModifiers();
		if (found.containsKey(specific) || !Modifier.isPublic(modifiers) || Modifier.isStatic(modifiers)
				|| ReflectionUtils.isObjectMethod(specific)) {
			return;
		}
		LockDefinition definition = this.source.findOnType(method.getDeclaringClass(), method);
		if (definition != null) {
			found.put(specific, definition);
		}
	}

	private void add(Map<Method, LockDefinition> found, Method method, Method specific) {
		if (found.containsKey(specific)) {
			return;
		}
		LockDefinition definition = this.source.find(method);
		if (definition != null) {
			found.put(specific, definition);
		}
	}

	private static boolean sameSignature(Method one, Method other) {
		return one.getName().equals(other.getName())
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

}
