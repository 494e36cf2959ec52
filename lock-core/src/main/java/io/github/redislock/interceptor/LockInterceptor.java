package io.github.redislock.interceptor;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Holds the lock of a locked method while it runs.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	private final LockFaces locks;

	LockInterceptor(LockedMethods methods, LockFaces locks) {
		this.methods = methods;
		this.locks = locks;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LockedMethod method = this.methods.find(invocation.getMethod(), targetClass);
		return (method != null) ? method.call(invocation, targetClass, this.locks) : invocation.proceed();
	}

}
