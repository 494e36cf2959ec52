package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Random;

import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;

/**
 * Three masters, each with a replica.
 */
public final class Cluster implements Replicated {

	private final RedisCluster cluster;

	Cluster(String... options) {
		this.cluster = RedisCluster.start(options);
	}

	@Override
	public Topology topology() {
		return Topology.CLUSTER;
	}

	@Override
	public List<Integer> entrances() {
		return ports();
	}

	@Override
	public List<Integer> ports() {
		return this.cluster.nodes().stream().map(RedisProcess::port).toList();
	}

	@Override
	public List<RedisProcess> granting() {
		return this.cluster.masters();
	}

	@Override
	public List<RedisProcess> victims(Random random) {
		List<RedisProcess> masters = granting();
		return List.of(masters.get(random.nextInt(masters.size())));
	}

	@Override
	public RedisProcess master(String key) {
		return this.cluster.nodeOf(key);
	}

	@Override
	public List<RedisProcess> replicas(RedisProcess master) {
		return List.of(this.cluster.replicaOf(master));
	}

	/**
	 * Promote the replica. The master accepts no writes until the replica has all data.
	 */
	@Override
	public void failOver(RedisProcess master) {
		this.cluster.failOver(master);
	}

	@Override
	public void takeOver(RedisProcess master) {
		RedisProcess replica = this.cluster.replicaOf(master);
		replica.command("CLUSTER", "FAILOVER", "FORCE");
		this.cluster.awaitMaster(replica);
	}

	@Override
	public void replace(RedisProcess master, Runnable end) {
		RedisProcess replica = this.cluster.replicaOf(master);
		end.run();
		this.cluster.awaitMaster(replica);
	}

	/**
	 * Move the slot of a key to another master.
	 * @param key a key
	 * @param meanwhile an action that runs during the move
	 */
	public void moveSlot(String key, Runnable meanwhile) {
		RedisProcess target = this.cluster.otherThan(this.cluster.nodeOf(key));
		this.cluster.beginToMove(key, target);
		meanwhile.run();
		this.cluster.finishMoving(key, target);
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
