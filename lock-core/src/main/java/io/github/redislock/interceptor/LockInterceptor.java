package io.github.redislock.interceptor;

import java.util.function.Supplier;

import io.github.redislock.LockOperations;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Holds the lock of a locked method while it runs.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	private final Supplier<LockOperations> operations;

	LockInterceptor(LockedMethods methods, Supplier<LockOperations> operations) {
		this.methods = methods;
		this.operations = operations;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LockedMethod method = this.methods.find(invocation.getMethod(), targetClass);
		return (method != null) ? method.call(invocation, targetClass, this.operations.get()) : invocation.proceed();
	}

}
