package io.github.redislock.campaign.failover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;

/**
 * A master with two replicas, and three sentinels that watch them.
 */
final class SentinelSite implements Site {

	/** Short enough that some of the leases outlive a fail-over. */
	private static final String DOWN_AFTER_MILLIS = "500";

	private final SentinelGroup group = SentinelGroup.startBehindProxies();

	SentinelSite() {
		this.group.sentinels()
			.forEach((sentinel) -> sentinel.command("SENTINEL", "SET", SentinelGroup.NAME, "down-after-milliseconds",
					DOWN_AFTER_MILLIS));
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
	public Map<Integer, Integer> ports() {
		Map<Integer, Integer> ports = new HashMap<>();
		this.group.servers().forEach((server) -> ports.put(knownAs(server), server.port()));
		this.group.sentinels().forEach((sentinel) -> ports.put(sentinel.port(), sentinel.port()));
		return ports;
	}

	@Override
	public void delayReplication(Duration delay) {
		this.group.servers().forEach((server) -> this.group.proxyOf(server).delay(delay));
	}

	@Override
	public RedisProcess master(String key) {
		return this.group.master();
	}

	@Override
	public int knownAs(RedisProcess server) {
		return this.group.announcedPort(server);
	}

	@Override
	public void cutOff(RedisProcess master) {
		this.group.proxyOf(master).isolate();
	}

	@Override
	public void reconnect(RedisProcess master) {
		this.group.proxyOf(master).flow();
	}

	@Override
	public void revive(RedisProcess master) {
		String line = "%nreplicaof 127.0.0.1 %d%n".formatted(knownAs(this.group.master()));
		try {
			Files.writeString(master.directory().resolve("redis.conf"), line, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		master.restart();
	}

	@Override
	public void replace(RedisProcess master, Runnable blow) {
		blow.run();
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
