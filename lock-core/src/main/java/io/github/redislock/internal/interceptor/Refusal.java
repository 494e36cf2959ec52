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
	 * Return the result of a call that did not get its lock.
	 * @param refused says why the call did not get the lock
	 * @param invocation the call
	 * @return the result of the call
	 * @throws Throwable what the call throws instead
	 */
	@Nullable Object result(LockNotAcquiredException refused, MethodInvocation invocation) throws Throwable;

}
