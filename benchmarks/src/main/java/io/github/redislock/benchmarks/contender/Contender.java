package io.github.redislock.benchmarks.contender;

/**
 * A library in the comparison, or a way to use a library.
 */
public interface Contender {

	/**
	 * Return the name for the command line and the results: lower case, with hyphens.
	 */
	String name();

	String title();

	LockClient open(ClientSettings settings);

	/**
	 * Return the key in Redis whose expiry frees a lock.
	 */
	String key(String name);

}
