package io.github.redislock.benchmarks.contender;

/**
 * A lock library in use by one process. Thread-safe.
 */
public interface LockClient extends AutoCloseable {

	/**
	 * Acquire a lock, waiting as long as it takes.
	 * @param name the lock's name
	 * @return the lock
	 */
	Held acquire(String name);

	/**
	 * Run something under a lock, in the way users of this library do it.
	 * @param name the lock's name
	 * @param section what to run
	 */
	default void execute(String name, Runnable section) {
		Held lock = acquire(name);
		try {
			section.run();
		}
		finally {
			lock.release();
		}
	}

	@Override
	void close();

}
