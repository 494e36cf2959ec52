package io.github.redislock.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks for the method that answers instead.
 *
 * @param method the locked method
 * @param targetClass the bean's class
 * @param name the fallback's name
 * @param locked all locked methods of the class
 */
record FallbackFinder(Method method, Class<?> targetClass, String name, Set<Method> locked) {

	Refusal find() {
		Class<?>[] parameters = this.method.getParameterTypes();
		Class<?>[] withReason = Arrays.copyOf(parameters, parameters.length + 1);
		withReason[parameters.length] = LockNotAcquiredException.class;
		Method fallback = ReflectionUtils.findMethod(this.targetClass, this.name, withReason);
		if (fallback == null) {
			fallback = ReflectionUtils.findMethod(this.targetClass, this.name, parameters);
		}
		return call(checked(fallback));
	}

	private Method checked(@Nullable Method fallback) {
		if (fallback == null) {
			throw invalid(
					"there is no method '%s' with the same parameters in '%s'".formatted(this.name,
							this.targetClass.getName()),
					"Write it, with the same parameters and optionally one more, last"
							+ " one of type LockNotAcquiredException; it may be private.");
		}
		if (this.locked.contains(fallback)) {
			throw invalid("it is locked itself, and would run without its lock", "Name a method that is not locked.");
		}
		Class<?> wanted = this.method.getReturnType();
		Class<?> given = fallback.getReturnType();
		boolean fits = (wanted.isPrimitive() || given == void.class) ? wanted == given
				: ClassUtils.isAssignable(wanted, given);
		if (!fits) {
			throw invalid("it answers %s and not %s".formatted(given.getSimpleName(), wanted.getSimpleName()),
					"Let it answer what the method answers.");
		}
		return fallback;
	}

	private static Refusal call(Method fallback) {
		ReflectionUtils.makeAccessible(fallback);
		int parameters = fallback.getParameterCount();
		return (refused, invocation) -> {
			@Nullable Object[] arguments = invocation.getArguments();
			if (parameters > arguments.length) {
				arguments = Arrays.copyOf(arguments, parameters);
				arguments[parameters - 1] = refused;
			}
			try {
				Object target = Modifier.isStatic(fallback.getModifiers()) ? null : invocation.getThis();
				return fallback.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		};
	}

	private InvalidLockedMethodException invalid(String problem, String action) {
		return new InvalidLockedMethodException(this.method, this.targetClass,
				"its fallback '%s' does not fit: %s".formatted(this.name, problem), action, null);
	}

}
