package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;

/**
 * A master with two replicas, and three sentinels that watch them.
 */
public final class Sentinels implements Replicated {

	private final SentinelGroup group;

	Sentinels(String... options) {
		this.group = SentinelGroup.start(options);
	}

	@Override
	public Topology topology() {
		return Topology.SENTINEL;
	}

	@Override
	public List<Integer> entrances() {
		return this.group.sentinels().stream().map(RedisProcess::port).toList();
	}

	@Override
	public List<Integer> ports() {
		return Stream.concat(this.group.sentinels().stream(), this.group.servers().stream())
			.map(RedisProcess::port)
			.toList();
	}

	public List<RedisProcess> sentinels() {
		return this.group.sentinels();
	}

	@Override
	public List<RedisProcess> granting() {
		return List.of(this.group.master());
	}

	@Override
	public List<RedisProcess> victims(Random random) {
		return granting();
	}

	@Override
	public RedisProcess master(String key) {
		return this.group.master();
	}

	@Override
	public List<RedisProcess> replicas(RedisProcess master) {
		return this.group.replicas();
	}

	/**
	 * Promote a replica. Sentinels do so without the master's consent.
	 */
	@Override
	public void failOver(RedisProcess master) {
		this.group.failOver();
	}

	@Override
	public void takeOver(RedisProcess master) {
		this.group.failOver();
	}

	@Override
	public void replace(RedisProcess master, Runnable end) {
		end.run();
		this.group.awaitMasterOtherThan(master);
	}

	@Override
	public void awaitWhole() {
		this.group.awaitHealthy();
	}

	@Override
	public void close() {
		this.group.close();
	}

}
