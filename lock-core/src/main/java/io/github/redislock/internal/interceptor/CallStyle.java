package io.github.redislock.internal.interceptor;

import io.github.redislock.LockOperations;
import org.jspecify.annotations.Nullable;

/**
 * How a method's work continues after the method has returned, which decides how the lock
 * is held until the work has ended.
 */
interface CallStyle {

	@Nullable Object call(LockedCall call, LockOperations locks) throws Throwable;

	/**
	 * Return the result of a skipped call, which fits the return type of the method.
	 * @return {@code null} if the method returns nothing, or a type that has no empty
	 * value
	 */
	@Nullable Object emptyResult();

	/**
	 * Return why calls of the method cannot be skipped.
	 * @return the end of a sentence, or {@code null} if calls can be skipped
	 */
	default @Nullable String reasonNotSkippable() {
		return null;
	}

}
