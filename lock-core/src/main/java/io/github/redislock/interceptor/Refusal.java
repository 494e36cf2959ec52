package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What a call answers when somebody else has the lock.
 */
@FunctionalInterface
interface Refusal {

	/**
	 * Answer instead of the method.
	 * @param refused who has the lock
	 * @param invocation the call
	 * @return the result of the call
	 * @throws Throwable what the call throws instead
	 */
	@Nullable Object answer(LockNotAcquiredException refused, MethodInvocation invocation) throws Throwable;

	/**
	 * Return what was declared.
	 * @throws InvalidLockedMethodException if it does not fit the method
	 */
	static Refusal of(Method method, Class<?> targetClass, LockDefinition definition, Set<Method> locked,
			CallStyle style) {
		if (definition.fallback().isEmpty()) {
			return definition.skipIfLocked() ? skip(method, targetClass, style) : (refused, invocation) -> {
				throw refused;
			};
		}
		if (definition.skipIfLocked()) {
			throw new InvalidLockedMethodException(method, targetClass,
					"it is both to be skipped and to be replaced by fallback '%s'".formatted(definition.fallback()),
					"Remove one of the two.", null);
		}
		return new FallbackFinder(method, targetClass, definition.fallback(), locked).find();
	}

	private static Refusal skip(Method method, Class<?> targetClass, CallStyle style) {
		String problem = style.whyNothingIsWrong();
		if (problem != null) {
			throw new InvalidLockedMethodException(method, targetClass,
					"it is to be skipped if somebody else has the lock, but %s, which cannot say so".formatted(problem),
					"Let it answer %s, or an Optional; or name a 'fallback'."
						.formatted(method.getReturnType().isPrimitive()
								? ClassUtils.resolvePrimitiveIfNecessary(method.getReturnType()).getSimpleName()
										+ ", which is null then"
								: "something that can be empty"),
					null);
		}
		return new SkippedCall(MethodNames.describe(method, targetClass), style);
	}

}
