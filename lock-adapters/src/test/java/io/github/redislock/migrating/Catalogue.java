package io.github.redislock.migrating;

/**
 * What the examples of the migration pages work on.
 */
interface Catalogue {

	String sell(String sku);

	String find(String sku);

	void importAll();

	void write(String line, long fencingToken);

}
