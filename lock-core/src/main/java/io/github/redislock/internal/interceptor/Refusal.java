package io.github.redislock.internal.interceptor;

import io.github.redislock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What a call returns or throws when another holder has the lock.
 */
@FunctionalInterface
interface Refusal {

	/**
	 * Return a result instead of calling the method.
	 * @param refused the failure, which names the holder
	 * @param invocation the call
	 * @return the result of the call
	 * @throws Throwable what the call throws instead
	 */
	@Nullable Object result(LockNotAcquiredException refused, MethodInvocation invocation) throws Throwable;

}
