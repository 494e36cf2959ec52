package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;

/**
 * Three masters with a replica each. The cluster bus has no proxies, so that no master
 * can be cut off.
 */
final class ClusterSite implements Site {

	private final RedisCluster cluster = RedisCluster.startBehindProxies();

	@Override
	public Topology topology() {
		return Topology.CLUSTER;
	}

	@Override
	public List<Integer> entrances() {
		return this.cluster.nodes().stream().map(this::knownAs).toList();
	}

	@Override
	public Map<Integer, Integer> ports() {
		Map<Integer, Integer> ports = new HashMap<>();
		this.cluster.nodes().forEach((node) -> ports.put(knownAs(node), node.port()));
		return ports;
	}

	@Override
	public void delayReplication(Duration delay) {
		this.cluster.nodes().forEach((node) -> this.cluster.proxyOf(node).delay(delay));
	}

	@Override
	public RedisProcess master(String key) {
		return this.cluster.nodeOf(key);
	}

	@Override
	public int knownAs(RedisProcess server) {
		return this.cluster.proxyOf(server).port();
	}

	@Override
	public void cutOff(RedisProcess master) {
		throw new UnsupportedOperationException("The cluster bus has no proxies");
	}

	@Override
	public void reconnect(RedisProcess master) {
		throw new UnsupportedOperationException("The cluster bus has no proxies");
	}

	@Override
	public void revive(RedisProcess master) {
		// The node learns from the others that it was replaced.
		master.restart();
	}

	@Override
	public void replace(RedisProcess master, Runnable blow) {
		RedisProcess replica = this.cluster.replicaOf(master);
		blow.run();
		this.cluster.awaitMaster(replica);
	}

	@Override
	public void awaitWhole() {
		this.cluster.awaitHealthy();
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
