package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock, receives its handle and returns a result.
 *
 * @param <T> the type of the result
 * @param <E> the type of the checked exception that the work throws, or
 * {@code RuntimeException} if it throws none
 */
@FunctionalInterface
public interface LockedFunction<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work.
	 * @param lock the held lock, which the work must not release
	 * @return the work's result
	 * @throws E if the work failed
	 */
	T apply(LockHandle lock) throws E;

}
