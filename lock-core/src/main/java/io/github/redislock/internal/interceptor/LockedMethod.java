package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Supplier;

import io.github.redislock.LockFence;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.internal.interceptor.declaration.CallTarget;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionReader;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * A method with its lock, which has been read and checked and is ready to be called.
 *
 * @param style how the lock is held until the work has ended
 * @param target what is locked
 * @param options how to acquire and keep the lock; completed at the first call
 * @param refusal what a call returns or throws when the lock is refused
 * @param template the name of the bean that acquires the lock, or empty text for the
 * default bean
 * @param fence the name of the bean that admits the holder in its transactions, or empty
 * text for none
 * @param locks the bean that acquires the lock; looked up at the first call, because
 * advice is created before the beans that locks depend on
 */
record LockedMethod(CallStyle style, CallTarget target, Supplier<LockOptions> options, Refusal refusal, String template,
		String fence, Supplier<LockOperations> locks) {

	/**
	 * Read and check the declaration of a method.
	 * @param method the method that actually runs
	 * @param beanFactory provides the properties, and the bean that acquires the lock
	 * @param locked all locked methods of the class
	 * @throws InvalidLockedMethodException if the declaration cannot work
	 */
	static LockedMethod read(Method method, Class<?> targetClass, LockDefinition definition,
			ConfigurableListableBeanFactory beanFactory, Set<Method> locked) {
		CallStyle style = MethodRules.styleOf(method, targetClass);
		MethodRules.requireNoLateWork(method, targetClass);
		LockDefinitionReader reader = new LockDefinitionReader(method, targetClass, definition, beanFactory);
		String template = reader.template();
		String fence = reader.fence();
		boolean onOneThread = style instanceof BlockingStyle || style instanceof WorkerStyle;
		if (!fence.isEmpty() && !onOneThread) {
			throw new InvalidLockedMethodException(method, targetClass,
					"it has fence = '%s', but its work may leave the thread that has the transaction".formatted(fence),
					"Remove the fence, and let the statement that writes compare the fencing token, as the guide shows;"
							+ " or write in a method that returns no future and no reactive type.",
					null);
		}
		LockOptions options = reader.options();
		return new LockedMethod(style, reader.target(),
				SingletonSupplier
					.of(() -> fence.isEmpty() ? options : options.fence(beanFactory.getBean(fence, LockFence.class))),
				refusal(method, targetClass, definition, locked, style), template, fence,
				SingletonSupplier.of(() -> template.isEmpty() ? beanFactory.getBean(LockOperations.class)
						: beanFactory.getBean(template, LockOperations.class)));
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
		SkippedCall skipped = new SkippedCall(MethodNames.describe(method, targetClass), style);
		return (refused, invocation) -> skipped.result(refused::getMessage);
	}

	private static void requireSkippable(Method method, Class<?> targetClass, CallStyle style) {
		String reason = style.reasonNotSkippable();
		if (reason != null) {
			Class<?> type = method.getReturnType();
			throw new InvalidLockedMethodException(method, targetClass,
					"it has ifLocked = SKIP, but it %s, which has no value for a skipped call".formatted(reason),
					"Make it return %s, or an Optional; or name a 'fallback'.".formatted(type.isPrimitive()
							? ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName() + ", which can be null"
							: "something that can be empty"),
					null);
		}
	}

	@Nullable Object call(MethodInvocation invocation, Class<?> targetClass) throws Throwable {
		LockedCall call = new LockedCall(this.target, this.options.get(), this.refusal, invocation, targetClass);
		return this.style.call(call, this.locks.get());
	}

}
