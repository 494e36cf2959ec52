package io.github.redislock.interceptor;

import io.github.redislock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What a call returns or throws when another holder has the lock.
 */
@FunctionalInterface
interface Refusal {

	/**
	 * Return a result in place of the method.
	 * @param refused which holder has the lock
	 * @param invocation the call
	 * @return the result of the call
	 * @throws Throwable what the call throws instead
	 */
	@Nullable Object result(LockNotAcquiredException refused, MethodInvocation invocation) throws Throwable;

}
