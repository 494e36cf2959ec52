package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock and returns a result.
 *
 * @param <T> the type of the result
 * @param <E> the type of its exception; inferred as unchecked if it throws none
 */
@FunctionalInterface
public interface LockedSupplier<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do the work.
	 * @return its result
	 * @throws E if it failed
	 */
	T get() throws E;

}
