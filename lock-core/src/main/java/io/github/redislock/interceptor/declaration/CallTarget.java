package io.github.redislock.interceptor.declaration;

import io.github.redislock.LockTarget;
import org.aopalliance.intercept.MethodInvocation;

/**
 * What the calls of a method lock.
 */
public interface CallTarget {

	/**
	 * Return the lock for a call.
	 * @throws InvalidLockNameException if the arguments do not lead to a name
	 * @throws IllegalStateException if it is not known how many may share it
	 */
	LockTarget evaluate(MethodInvocation invocation, Class<?> targetClass);

	/**
	 * Return what metrics know of the lock, the same for all calls: with the text of
	 * expressions in place of their values.
	 */
	LockTarget example();

	/**
	 * Find what would go wrong at each call, now that the beans are there.
	 * @throws InvalidLockedMethodException if something would
	 */
	default void checkStarted() {
	}

}
