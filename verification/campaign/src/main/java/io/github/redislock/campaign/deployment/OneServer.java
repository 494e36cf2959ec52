package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.redislock.testing.RedisProcess;

/**
 * One server.
 */
final class OneServer implements Deployment {

	private final RedisProcess redis;

	OneServer(Map<String, String> environment, String... options) {
		this.redis = RedisProcess.start(environment, options);
	}

	@Override
	public Topology topology() {
		return Topology.STANDALONE;
	}

	@Override
	public List<Integer> entrances() {
		return ports();
	}

	@Override
	public List<Integer> ports() {
		return List.of(this.redis.port());
	}

	@Override
	public List<RedisProcess> granting() {
		return List.of(this.redis);
	}

	@Override
	public List<RedisProcess> victims(Random random) {
		return List.of(this.redis);
	}

	@Override
	public void awaitWhole() {
		// The server has recovered as soon as it replies.
	}

	@Override
	public void close() {
		this.redis.close();
	}

}
