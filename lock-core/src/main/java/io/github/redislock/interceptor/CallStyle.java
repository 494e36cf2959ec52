package io.github.redislock.interceptor;

import io.github.redislock.LockOperations;
import org.jspecify.annotations.Nullable;

/**
 * How the work of a method continues after it has returned, and so how the lock is held
 * until the work has ended.
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
	 * Return the result of a skipped call, in the form in which the method returns it.
	 * @return {@code null} if the method returns nothing, or nothing that can be empty
	 */
	@Nullable Object emptyResult();

	/**
	 * Return why no call can be skipped.
	 * @return as the end of a sentence, or {@code null} if calls can
	 */
	default @Nullable String reasonNotSkippable() {
		return null;
	}

}
