package io.github.redislock.campaign.deployment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.RedisProcess;

/**
 * Five independent masters.
 */
final class Masters implements Deployment {

	private final FiveMasters masters;

	Masters(String... options) {
		this.masters = FiveMasters.start(options);
	}

	@Override
	public Topology topology() {
		return Topology.QUORUM;
	}

	@Override
	public List<Integer> entrances() {
		return ports();
	}

	@Override
	public List<Integer> ports() {
		return granting().stream().map(RedisProcess::port).toList();
	}

	@Override
	public List<RedisProcess> granting() {
		return this.masters.nodes();
	}

	/**
	 * Return one or two masters, so that at least three are left.
	 */
	@Override
	public List<RedisProcess> victims(Random random) {
		return some(random, 1 + random.nextInt(granting().size() / 2));
	}

	@Override
	public List<RedisProcess> tooMany(Random random) {
		return some(random, granting().size() / 2 + 1);
	}

	@Override
	public void awaitWhole() {
		// A master has recovered as soon as it replies. It never receives the writes that
		// it has missed.
	}

	@Override
	public void close() {
		this.masters.close();
	}

	private List<RedisProcess> some(Random random, int count) {
		List<RedisProcess> shuffled = new ArrayList<>(granting());
		Collections.shuffle(shuffled, random);
		return List.copyOf(shuffled.subList(0, count));
	}

}
