package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.redislock.testing.RedisProcess;

/**
 * Servers that keep locks, and may be broken.
 */
public interface Deployment extends AutoCloseable {

	/**
	 * Start servers that are well.
	 * @param topology how they belong together
	 * @param environment what to add to the variables of a single server
	 * @param options lines of the configuration of each
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

	/**
	 * Return how the servers belong together.
	 */
	Topology topology();

	/**
	 * Return the ports that clients are told.
	 */
	List<Integer> entrances();

	/**
	 * Return the ports to which clients may connect, those included of which they are
	 * told later.
	 */
	List<Integer> ports();

	/**
	 * Return the servers that give locks at the moment.
	 */
	List<RedisProcess> granting();

	/**
	 * Return some of those that give locks: so many as may fail at once without harm to a
	 * lock, if they come back with their data.
	 */
	List<RedisProcess> victims(Random random);

	/**
	 * Return so many that no lock can be given while they fail.
	 */
	default List<RedisProcess> tooMany(Random random) {
		return granting();
	}

	/**
	 * Wait until the servers have put in order what was broken, so that the next fault is
	 * again the only one.
	 */
	void awaitWhole();

	@Override
	void close();

}
