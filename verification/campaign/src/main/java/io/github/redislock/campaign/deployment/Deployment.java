package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.redislock.testing.RedisProcess;

/**
 * Servers that store locks and may fail.
 */
public interface Deployment extends AutoCloseable {

	/**
	 * Start healthy servers.
	 * @param topology the topology
	 * @param environment additional environment variables, used for a single server only
	 * @param options configuration lines of each server
	 * @return the servers
	 */
	static Deployment start(Topology topology, Map<String, String> environment, String... options) {
		return switch (topology) {
			case STANDALONE -> new OneServer(environment, options);
			case SENTINEL -> new Sentinels(options);
			case CLUSTER -> new Cluster(options);
			case QUORUM -> new Masters(options);
		};
	}

	Topology topology();

	List<Integer> entrances();

	/**
	 * Return all ports to which clients may connect, including those that they discover.
	 */
	List<Integer> ports();

	/**
	 * Return the servers that currently grant locks.
	 */
	List<RedisProcess> granting();

	/**
	 * Return some of the servers that grant locks. Even if all returned servers fail at
	 * once, no lock is lost if they come back with their data before its lease ends.
	 */
	List<RedisProcess> victims(Random random);

	/**
	 * Return enough servers that no lock can be granted while they are down.
	 */
	default List<RedisProcess> tooMany(Random random) {
		return granting();
	}

	/**
	 * Wait until the servers have recovered, so that the next fault does not overlap with
	 * this one.
	 */
	void awaitWhole();

	@Override
	void close();

}
