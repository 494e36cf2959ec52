package io.github.redislock.benchmarks.contender;

/**
 * A client of a lock library in one process. Thread-safe.
 */
public interface LockClient extends AutoCloseable {

	Held acquire(String name);

	/**
	 * Run a task under a lock, in the way that the library's users do.
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
