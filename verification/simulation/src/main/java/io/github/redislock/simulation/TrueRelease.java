package io.github.redislock.simulation;

import java.util.HashSet;
import java.util.Set;

import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Nobody is told at a release that the lock had been lost, who had it by its own clock,
 * as long as Redis keeps its word, and nobody takes the lock by force.
 */
final class TrueRelease extends Rule {

	private final Set<Attempt> heldUntilReleased = new HashSet<>();

	TrueRelease(World world) {
		super(world);
	}

	@Override
	void releasing(Attempt attempt) {
		if (!attempt.isLost() && attempt.handle().isHeld()) {
			this.heldUntilReleased.add(attempt);
		}
	}

	@Override
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
		if (outcome == ReleaseOutcome.NOT_HELD && this.heldUntilReleased.contains(attempt) && isPromised(attempt)) {
			broken("caller %s of %s was told that it had lost '%s', and nobody had taken it".formatted(attempt,
					attempt.instance(), attempt.ask().target()));
		}
	}

	private boolean isPromised(Attempt attempt) {
		String owner = attempt.handle().owner();
		return !world().grants().isForced(owner) && world().grants().generation(owner) == world().generation()
				&& world().servers().stream().allMatch(this::isWhole);
	}

	/**
	 * Return whether a server of a quorum has all its data: without some, a release may
	 * find a majority that has forgotten the lock.
	 */
	private boolean isWhole(Server server) {
		return world().servers().size() == 1 || (server.generation() == 0 && server.dataLife() == 0);
	}

}
