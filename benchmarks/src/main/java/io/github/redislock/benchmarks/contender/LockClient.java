package io.github.redislock.benchmarks.contender;

/**
 * A client of a lock library in one process. Thread-safe.
 */
public interface LockClient extends AutoCloseable {

	/**
	 * Acquire a lock, waiting without a limit.
	 * @param name the lock's name
	 * @return the lock
	 */
	Held acquire(String name);

	/**
	 * Run a task under a lock, in the way that the library's users do.
	 * @param name the lock's name
	 * @param section the task
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
