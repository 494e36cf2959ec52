package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.RedisProcess;

/**
 * Three or five independent masters that keep their data. None of them is replaced: each
 * time, another one fails and comes back.
 */
final class QuorumSite implements Site {

	private final FiveMasters five = FiveMasters.start("appendonly yes", "appendfsync always");

	private final List<RedisProcess> masters;

	private int next;

	QuorumSite(int masters) {
		this.masters = this.five.first(masters);
	}

	@Override
	public Topology topology() {
		return Topology.QUORUM;
	}

	@Override
	public List<Integer> entrances() {
		return this.masters.stream().map(RedisProcess::port).toList();
	}

	@Override
	public Map<Integer, Integer> ports() {
		Map<Integer, Integer> ports = new HashMap<>();
		this.masters.forEach((master) -> ports.put(master.port(), master.port()));
		return ports;
	}

	@Override
	public void delayReplication(Duration delay) {
		// Independent masters do not replicate.
	}

	@Override
	public RedisProcess master(String key) {
		return this.masters.get(this.next++ % this.masters.size());
	}

	@Override
	public int knownAs(RedisProcess server) {
		return server.port();
	}

	@Override
	public void cutOff(RedisProcess master) {
		// The masters do not know each other.
	}

	@Override
	public void reconnect(RedisProcess master) {
		// The masters do not know each other.
	}

	@Override
	public void revive(RedisProcess master) {
		master.restart();
	}

	@Override
	public void replace(RedisProcess master, Runnable blow) {
		blow.run();
	}

	@Override
	public void awaitWhole() {
		this.masters.forEach(RedisProcess::awaitReply);
	}

	@Override
	public void close() {
		this.five.close();
	}

}
