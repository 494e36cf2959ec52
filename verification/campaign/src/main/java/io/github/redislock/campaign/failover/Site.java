package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.testing.RedisProcess;

/**
 * Servers whose masters fail and come back. Between the servers there are proxies, which
 * delay replication or cut a master off. Clients do not use these.
 */
interface Site extends AutoCloseable {

	static Site start(Topology topology, int masters) {
		return switch (topology) {
			case SENTINEL -> new SentinelSite();
			case CLUSTER -> new ClusterSite();
			case QUORUM -> new QuorumSite(masters);
			case STANDALONE -> throw new IllegalArgumentException("One server has no fail-over");
		};
	}

	Topology topology();

	/**
	 * Return the ports with which clients are configured.
	 */
	List<Integer> entrances();

	/**
	 * Return the ports that clients are configured with or learn from the servers, and
	 * the ports on which these servers listen.
	 */
	Map<Integer, Integer> ports();

	/**
	 * Delay what masters send to their replicas.
	 */
	void delayReplication(Duration delay);

	RedisProcess master(String key);

	/**
	 * Return the port by which clients know a server.
	 */
	int knownAs(RedisProcess server);

	/**
	 * Cut a master off from all other servers.
	 */
	void cutOff(RedisProcess master);

	void reconnect(RedisProcess master);

	/**
	 * Start a master that was killed and replaced, as a replica of its successor.
	 */
	void revive(RedisProcess master);

	/**
	 * Run an action after which a master is to be replaced, and wait for its successor.
	 * @throws RuntimeException if there is none in time
	 */
	void replace(RedisProcess master, Runnable blow);

	/**
	 * Wait until all servers have recovered.
	 * @throws RuntimeException if they do not in time
	 */
	void awaitWhole();

	@Override
	void close();

}
