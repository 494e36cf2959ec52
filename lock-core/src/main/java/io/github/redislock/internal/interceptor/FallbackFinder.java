package io.github.redislock.internal.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.Job;
import org.jspecify.annotations.Nullable;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the method that is called instead of the locked one.
 *
 * @param method the locked method
 * @param targetClass the bean's class
 * @param name the fallback's name
 * @param locked all locked methods of the class
 */
record FallbackFinder(Method method, Class<?> targetClass, String name, Set<Method> locked) {

	Refusal find() {
		boolean suspends = KotlinDetector.isSuspendingFunction(this.method);
		Class<?>[] parameters = this.method.getParameterTypes();
		// A suspending function takes its continuation as an additional last parameter.
		int place = suspends ? parameters.length - 1 : parameters.length;
		Method fallback = ReflectionUtils.findMethod(this.targetClass, this.name,
				with(parameters, place, LockNotAcquiredException.class));
		if (fallback == null) {
			fallback = ReflectionUtils.findMethod(this.targetClass, this.name, parameters);
		}
		Method checked = checked((fallback != null) ? BridgeMethodResolver.findBridgedMethod(fallback) : null);
		ReflectionUtils.makeAccessible(checked);
		boolean told = checked.getParameterCount() > parameters.length;
		return (refused, invocation) -> {
			@Nullable Object[] arguments = invocation.getArguments();
			Object target = Modifier.isStatic(checked.getModifiers()) ? null : invocation.getThis();
			return call(checked, target, told ? with(arguments, place, refused) : arguments);
		};
	}

	private static <T extends @Nullable Object> T[] with(T[] values, int place, T added) {
		T[] more = Arrays.copyOf(values, values.length + 1);
		System.arraycopy(values, place, more, place + 1, values.length - place);
		more[place] = added;
		return more;
	}

	private static @Nullable Object call(Method fallback, @Nullable Object target, @Nullable Object[] arguments)
			throws Throwable {
		if (target != null && KotlinDetector.isSuspendingFunction(fallback)) {
			return Coroutines.call(fallback, target, arguments);
		}
		try {
			return fallback.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private Method checked(@Nullable Method fallback) {
		if (fallback == null) {
			throw invalid(
					"there is no method '%s' with the same parameters in '%s'".formatted(this.name,
							this.targetClass.getName()),
					"Add it with the same parameters, and optionally an additional last"
							+ " parameter of type LockNotAcquiredException; it may be private.");
		}
		if (this.locked.contains(fallback)) {
			throw invalid("it is locked itself, and would run without its lock", "Name a method that is not locked.");
		}
		Class<?> wanted = resultType(this.method);
		Class<?> given = resultType(fallback);
		boolean fits = (wanted.isPrimitive() || given == void.class) ? wanted == given
				: ClassUtils.isAssignable(wanted, given);
		if (!fits) {
			throw invalid("it returns %s instead of %s".formatted(given.getSimpleName(), wanted.getSimpleName()),
					"Make it return what the method returns.");
		}
		return fallback;
	}

	/**
	 * Return what a method returns in a class that may set the type variables of its
	 * superclass.
	 */
	private Class<?> resultType(Method method) {
		return ResolvableType.forMethodReturnType(method, this.targetClass).toClass();
	}

	private InvalidLockedMethodException invalid(String problem, String action) {
		return new InvalidLockedMethodException(this.method, this.targetClass,
				"its fallback '%s' does not fit: %s".formatted(this.name, problem), action, null);
	}

	/**
	 * Loaded only for suspending functions.
	 */
	private static final class Coroutines {

		private static Object call(Method function, Object target, @Nullable Object[] arguments) {
			Continuation<?> caller = (Continuation<?>) Objects.requireNonNull(arguments[arguments.length - 1]);
			// As in Spring's proxies, the function must not run in the caller's job.
			return CoroutinesUtils.invokeSuspendingFunction(caller.getContext().minusKey(Job.Key), function, target,
					arguments);
		}

	}

}
