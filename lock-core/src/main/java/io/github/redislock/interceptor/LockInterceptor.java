package io.github.redislock.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.LockOperations;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/**
 * Holds the lock of a locked method while it runs.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	private final BeanFactory beanFactory;

	/** By bean name; empty text for the default bean. */
	private final Map<String, LockFaces> locks = new ConcurrentHashMap<>();

	LockInterceptor(LockedMethods methods, BeanFactory beanFactory) {
		this.methods = methods;
		this.beanFactory = beanFactory;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LockedMethod method = this.methods.find(invocation.getMethod(), targetClass);
		return (method != null) ? method.call(invocation, targetClass, locks(method.template())) : invocation.proceed();
	}

	private LockFaces locks(String template) {
		LockFaces known = this.locks.get(template);
		return (known != null) ? known
				: this.locks.computeIfAbsent(template,
						(name) -> new LockFaces(() -> name.isEmpty() ? this.beanFactory.getBean(LockOperations.class)
								: this.beanFactory.getBean(name, LockOperations.class)));
	}

}
