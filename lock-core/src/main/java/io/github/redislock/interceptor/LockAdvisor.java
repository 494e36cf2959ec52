package io.github.redislock.interceptor;

import java.lang.reflect.Method;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;

/**
 * Puts locks around locked methods.
 * <p>
 * Its order decides what happens under the lock. By default transactions and caches begin
 * inside it; asynchronous execution, security checks and Spring Framework's retries are
 * outside.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The default order: outside of all advice without an order, such as transactions.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Create an advisor.
	 * @param methods the locked methods
	 * @param beanFactory has the beans that take the locks; they are looked up at the
	 * first call, since the advisor is created too early for their dependencies
	 */
	public LockAdvisor(LockedMethods methods, BeanFactory beanFactory) {
		this.pointcut = new LockedMethodPointcut(methods);
		this.advice = new LockInterceptor(methods, beanFactory);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	private static final class LockedMethodPointcut extends StaticMethodMatcherPointcut {

		private final LockedMethods methods;

		private LockedMethodPointcut(LockedMethods methods) {
			this.methods = methods;
			setClassFilter((type) -> !methods.definitions(type).isEmpty());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.methods.isLocked(method, targetClass);
		}

	}

}
