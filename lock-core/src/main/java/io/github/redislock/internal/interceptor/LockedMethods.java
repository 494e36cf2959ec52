package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.stream.Stream;

import io.github.redislock.LockFence;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionSource;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.store.LockStore;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.Ordered;
import org.springframework.util.ReflectionUtils;

/**
 * The locked methods of an application's classes, and the advice that locks their calls.
 * <p>
 * A public method may also be locked because of a declaration on its type.
 * <p>
 * The order decides what happens under the lock. By default, transactions and caches are
 * inside the lock; asynchronous execution, security checks and Spring Framework's retries
 * are outside.
 */
public final class LockedMethods extends AdvisedMethods<LockDefinition, LockedMethod> {

	/**
	 * The default order: outside of all advice without an order, such as transactions.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private static final long serialVersionUID = 1L;

	/**
	 * Create the locked methods of a source.
	 * @param source finds the methods that are locked
	 * @param order the order of the lock among other advice
	 */
	public LockedMethods(LockDefinitionSource source, int order) {
		super(source, order);
	}

	/**
	 * Return the locks of the methods that have been read, as metrics see them: one
	 * example target for each method, with the text of expressions in place of their
	 * values. An example must not be locked.
	 */
	public Stream<LockTarget> examples() {
		return known().stream().map((method) -> method.target().example());
	}

	@Override
	public void checkBeans() {
		known().stream()
			.map(LockedMethod::fence)
			.filter((name) -> !name.isEmpty())
			.distinct()
			.forEach(this::checkFence);
		LockStore store = beanFactory().getBeanProvider(LockStore.class).getIfUnique();
		if (store != null) {
			known().stream().filter((method) -> method.template().isEmpty()).forEach((method) -> check(method, store));
		}
		boolean allNameTheirTemplate = known().stream().noneMatch((method) -> method.template().isEmpty());
		if (!known().isEmpty() && allNameTheirTemplate) {
			return;
		}
		try {
			beanFactory().getBean(LockOperations.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			if (!LockOperations.class.equals(ex.getBeanType())) {
				throw ex;
			}
			throw new LockSetupException(
					"Locked methods need one bean of type LockOperations: %s.".formatted(ex.getMessage()),
					"Declare one, such as a RedisLockTemplate. If there are several, add @Primary to the one that"
							+ " locked methods should use, or set 'template' on each method.",
					ex);
		}
	}

	private void checkFence(String name) {
		LockFence fence = beanFactory().getBean(name, LockFence.class);
		try {
			fence.check();
		}
		catch (IllegalStateException ex) {
			throw new LockSetupException("Fence '%s' cannot be used: %s.".formatted(name, ex.getMessage()),
					"Fix it, or remove 'fence' from the methods that name it.", ex);
		}
	}

	private static void check(LockedMethod method, LockStore store) {
		LockTarget target = method.target().example();
		try {
			store.groups(target);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException(
					"Method '%s' cannot be locked: %s.".formatted(method.target().describedMethod(), ex.getMessage()),
					"Remove its 'mode' or 'permits', or use a store with shared locks, such as RedisLockStore.", ex);
		}
	}

	@Override
	public LockSetupException invalid(Method method, Class<?> targetClass, String problem, String action) {
		return new InvalidLockedMethodException(method, targetClass, problem, action, null);
	}

	@Override
	@Nullable LockDefinition declared(Method method) {
		return source().find(method);
	}

	@Override
	@Nullable LockDefinition declaredOnType(Method method, Method specific) {
		int modifiers = specific.getModifiers();
		boolean callable = Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& !ReflectionUtils.isObjectMethod(specific);
		boolean own = method.getDeclaringClass().isInterface() || method.equals(specific);
		return (callable && own) ? source().findOnType(method.getDeclaringClass(), method) : null;
	}

	@Override
	LockedMethod read(Method method, Class<?> targetClass, LockDefinition definition) {
		return LockedMethod.read(method, targetClass, definition, beanFactory(), definitions(targetClass).keySet());
	}

	@Override
	@Nullable Object call(LockedMethod method, MethodInvocation invocation, Class<?> targetClass) throws Throwable {
		return method.call(invocation, targetClass);
	}

}
