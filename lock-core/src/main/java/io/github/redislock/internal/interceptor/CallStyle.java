package io.github.redislock.internal.interceptor;

import io.github.redislock.LockOperations;
import org.jspecify.annotations.Nullable;

/**
 * How a method's work continues after the method has returned, which decides how the lock
 * is held until the work has ended.
 */
interface CallStyle {

	/**
	 * Run a call under its lock.
	 * @param call the call
	 * @param locks takes the lock
	 * @return what the method returns
	 * @throws Throwable what the call throws
	 */
	@Nullable Object call(LockedCall call, LockOperations locks) throws Throwable;

	/**
	 * Return the result of a skipped call, which fits the return type of the method.
	 * @return the result, or {@code null} if the method returns nothing, or a type that
	 * has no empty value
	 */
	@Nullable Object emptyResult();

	/**
	 * Return why calls of the method cannot be skipped.
	 * @return the reason as the end of a sentence, or {@code null} if calls can be
	 * skipped
	 */
	default @Nullable String reasonNotSkippable() {
		return null;
	}

}
