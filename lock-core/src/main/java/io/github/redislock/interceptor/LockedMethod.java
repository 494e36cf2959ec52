package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A method with its lock, read and checked: ready to be called.
 */
final class LockedMethod {

	private final LockName name;

	private final LockOptions options;

	private final Refusal refusal;

	private LockedMethod(LockName name, LockOptions options, Refusal refusal) {
		this.name = name;
		this.options = options;
		this.refusal = refusal;
	}

	/**
	 * Read what was declared.
	 * @param method the method that is really run
	 * @param targetClass the bean's class
	 * @param definition what was declared
	 * @param text replaces placeholders
	 * @param locked all locked methods of the class
	 * @throws InvalidLockedMethodException if it cannot work
	 */
	static LockedMethod read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			Set<Method> locked) {
		MethodRules.check(method, targetClass);
		LockName name = LockNameReader.read(method, targetClass, definition, text);
		LockOptions options = LockOptionsReader.read(method, targetClass, definition, text);
		return new LockedMethod(name, options, Refusal.of(method, targetClass, definition, locked));
	}

	/**
	 * Run a call of this method under its lock.
	 */
	@Nullable Object call(MethodInvocation invocation, Class<?> targetClass, LockOperations locks) throws Throwable {
		LockTarget target = this.name.evaluate(invocation, targetClass);
		LockedCall call = new LockedCall(invocation);
		try {
			return locks.<@Nullable Object, Throwable>execute(target, this.options, call::proceed);
		}
		catch (LockNotAcquiredException ex) {
			if (call.started) {
				// Of another lock, taken inside the method.
				throw ex;
			}
			return this.refusal.answer(ex, invocation);
		}
	}

	/**
	 * Remembers whether the method's own code was reached.
	 */
	private static final class LockedCall {

		private final MethodInvocation invocation;

		private boolean started;

		private LockedCall(MethodInvocation invocation) {
			this.invocation = invocation;
		}

		private @Nullable Object proceed() throws Throwable {
			this.started = true;
			return this.invocation.proceed();
		}

	}

}
