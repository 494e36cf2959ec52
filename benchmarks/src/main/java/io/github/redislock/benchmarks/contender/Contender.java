package io.github.redislock.benchmarks.contender;

/**
 * A library in the comparison, or a way to use a library.
 */
public interface Contender {

	/**
	 * Return the name for the command line and the results.
	 * @return the name in lower case, with hyphens
	 */
	String name();

	/**
	 * Return the title for reports.
	 * @return the title
	 */
	String title();

	/**
	 * Open a client of the library in this process.
	 * @param settings the settings
	 * @return a connected client
	 */
	LockClient open(ClientSettings settings);

	/**
	 * Return the key in Redis whose expiry frees a lock.
	 * @param name the lock's name
	 * @return the key
	 */
	String key(String name);

}
