package io.github.redislock.simulation;

import java.util.List;

/**
 * All promises.
 */
final class Rules {

	private Rules() {
	}

	static List<Rule> all(World world) {
		return List.of(new Exclusion(world), new RisingTokens(world), new LossTold(world), new BoundedWaiting(world),
				new TrueRefusal(world), new SoundStructure(world), new EveryoneServed(world), new NothingLeft(world));
	}

}
