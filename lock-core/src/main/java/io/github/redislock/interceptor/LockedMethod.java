package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.redislock.LockOptions;
import io.github.redislock.interceptor.declaration.CallTarget;
import io.github.redislock.interceptor.declaration.DeclaredText;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.LockDefinitionReader;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * A method with its lock, read and checked: ready to be called.
 *
 * @param style how the lock is held until the work has ended
 * @param target what is locked
 * @param options how to take and keep the lock
 * @param refusal what a call returns when another holder has the lock
 * @param template the bean that takes the lock, or empty text for the default bean
 */
public record LockedMethod(CallStyle style, CallTarget target, LockOptions options, Refusal refusal, String template) {

	/**
	 * Read the declaration.
	 * @param method the method that is really run
	 * @param targetClass the bean's class
	 * @param definition what was declared
	 * @param text replaces placeholders
	 * @param beanFactory has the bean that takes the lock, if there is a container
	 * @param locked all locked methods of the class
	 * @throws InvalidLockedMethodException if it cannot work
	 */
	static LockedMethod read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			@Nullable BeanFactory beanFactory, Set<Method> locked) {
		CallStyle style = MethodRules.styleOf(method, targetClass);
		LockDefinitionReader reader = new LockDefinitionReader(method, targetClass, definition, text);
		return new LockedMethod(style, reader.target(), reader.options(),
				refusal(method, targetClass, definition, locked, style), reader.template(beanFactory));
	}

	private static Refusal refusal(Method method, Class<?> targetClass, LockDefinition definition, Set<Method> locked,
			CallStyle style) {
		String fallback = definition.fallback();
		if (!definition.skipIfLocked()) {
			return fallback.isEmpty() ? (refused, invocation) -> {
				throw refused;
			} : new FallbackFinder(method, targetClass, fallback, locked).find();
		}
		if (!fallback.isEmpty()) {
			throw new InvalidLockedMethodException(method, targetClass,
					"it has both ifLocked = SKIP and fallback '%s'".formatted(fallback), "Remove one of the two.",
					null);
		}
		requireSkippable(method, targetClass, style);
		return new SkippedCall(MethodNames.describe(method, targetClass), style);
	}

	private static void requireSkippable(Method method, Class<?> targetClass, CallStyle style) {
		String reason = style.reasonNotSkippable();
		if (reason != null) {
			Class<?> type = method.getReturnType();
			throw new InvalidLockedMethodException(method, targetClass,
					"it has ifLocked = SKIP, but it %s, which cannot show a skipped call".formatted(reason),
					"Make it return %s, or an Optional; or name a 'fallback'.".formatted(type.isPrimitive()
							? ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName() + ", which is null then"
							: "something that can be empty"),
					null);
		}
	}

	/**
	 * Run a call of this method under its lock.
	 */
	@Nullable Object call(MethodInvocation invocation, Class<?> targetClass, LockFaces locks) throws Throwable {
		return this.style.call(new LockedCall(this.target, this.options, this.refusal, invocation, targetClass), locks);
	}

}
