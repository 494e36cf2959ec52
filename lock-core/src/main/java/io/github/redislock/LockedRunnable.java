package io.github.redislock;

/**
 * Work that runs under a lock and returns nothing.
 *
 * @param <E> the type of the checked exception that the work throws, or
 * {@code RuntimeException} if it throws none
 */
@FunctionalInterface
public interface LockedRunnable<E extends Throwable> {

	/**
	 * Do the work.
	 * @throws E if the work failed
	 */
	void run() throws E;

}
