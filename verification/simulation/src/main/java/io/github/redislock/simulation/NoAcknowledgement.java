package io.github.redislock.simulation;

import java.util.List;

/**
 * Grants count before the replica has them.
 */
final class NoAcknowledgement implements Mistake {

	@Override
	public int minAcks() {
		return 0;
	}

	@Override
	public Setting setting(Setting setting) {
		return setting.acknowledged(true);
	}

	@Override
	public List<Fault> faults(List<Fault> faults) {
		return List.of(Fault.FAILOVER);
	}

}
