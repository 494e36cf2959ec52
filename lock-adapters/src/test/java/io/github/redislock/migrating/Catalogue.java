package io.github.redislock.migrating;

/**
 * The data of the examples in the migration pages.
 */
interface Catalogue {

	String sell(String sku);

	String find(String sku);

	void importAll();

	void write(String line, long fencingToken);

}
