package io.github.redislock.internal.interceptor;

import io.github.redislock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What a call returns or throws when its lock is refused.
 */
@FunctionalInterface
interface Refusal {

	/**
	 * Return the result of a call that did not get its lock, or throw an exception
	 * instead.
	 */
	@Nullable Object result(LockNotAcquiredException refused, MethodInvocation invocation) throws Throwable;

}
