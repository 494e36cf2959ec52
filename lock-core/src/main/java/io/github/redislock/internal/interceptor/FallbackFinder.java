package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the method that is called instead of the locked one when the lock is refused.
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
		int index = suspends ? parameters.length - 1 : parameters.length;
		Method fallback = ReflectionUtils.findMethod(this.targetClass, this.name,
				ObjectUtils.addObjectToArray(parameters, LockNotAcquiredException.class, index));
		if (fallback == null) {
			fallback = ReflectionUtils.findMethod(this.targetClass, this.name, parameters);
		}
		Method checked = checked((fallback != null) ? BridgeMethodResolver.findBridgedMethod(fallback) : null);
		boolean takesRefusal = checked.getParameterCount() > parameters.length;
		return (refused, invocation) -> {
			List<@Nullable Object> arguments = new ArrayList<>();
			Collections.addAll(arguments, invocation.getArguments());
			if (takesRefusal) {
				arguments.add(index, refused);
			}
			return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), checked, arguments.toArray());
		};
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
				"its fallback '%s' cannot be used because %s".formatted(this.name, problem), action, null);
	}

}
