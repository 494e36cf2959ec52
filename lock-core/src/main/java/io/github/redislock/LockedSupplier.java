package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock and returns a result.
 *
 * @param <T> the type of the result
 * @param <E> the type of the checked exception that the work throws, or
 * {@code RuntimeException} if it throws none
 */
@FunctionalInterface
public interface LockedSupplier<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work.
	 * @return the work's result
	 * @throws E if the work failed
	 */
	T get() throws E;

}
