package io.github.redislock.simulation;

import java.util.concurrent.Executor;

/**
 * Never searches for deadlocks, and runs no other background action.
 */
final class NoSearch implements Mistake {

	@Override
	public Executor actions(Host host) {
		return (action) -> {
		};
	}

}
