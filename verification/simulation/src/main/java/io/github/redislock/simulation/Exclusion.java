package io.github.redislock.simulation;

import java.util.Collections;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockTarget;

/**
 * Of all handles of one name at most one is valid at any moment, each judged by the clock
 * of its own instance; of shared locks, no more than may be. As long as Redis keeps its
 * word, and nobody takes the lock by force.
 */
final class Exclusion extends Rule {

	Exclusion(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, AsyncLockHandle handle) {
		if (handle.isHeld()) {
			check(attempt);
		}
	}

	@Override
	void goneOn(Instance instance) {
		world().attempts()
			.stream()
			.filter((attempt) -> attempt.instance() == instance && isValid(attempt))
			.forEach(this::check);
	}

	private void check(Attempt one) {
		for (Attempt other : world().attempts()) {
			if (other != one && isValid(other) && !mayBeTogether(one, other) && isPromised(one, other)) {
				broken("caller %s of %s and caller %s of %s both have '%s' by their own clocks, tokens %d and %d"
					.formatted(other, other.instance(), one, one.instance(), one.ask().target(),
							other.handle().fencingToken(), one.handle().fencingToken()));
			}
		}
	}

	/**
	 * A machine that is suspended cannot say that it holds anything.
	 */
	private static boolean isValid(Attempt attempt) {
		Host host = attempt.instance().host();
		return attempt.isHolding() && !host.isDead() && !host.isSuspended() && attempt.handle().isHeld();
	}

	private boolean mayBeTogether(Attempt one, Attempt other) {
		LockTarget target = one.handle().target();
		LockTarget beside = other.handle().target();
		if (Collections.disjoint(target.names(), beside.names())) {
			return true;
		}
		if (!target.isShared() || !beside.isShared()) {
			return false;
		}
		return holders(one) <= Math.max(target.permits(), beside.permits());
	}

	private long holders(Attempt one) {
		return world().attempts()
			.stream()
			.filter((attempt) -> isValid(attempt)
					&& attempt.handle().target().names().equals(one.handle().target().names()))
			.count();
	}

	private boolean isPromised(Attempt one, Attempt other) {
		Grants grants = world().grants();
		String owner = one.handle().owner();
		String beside = other.handle().owner();
		return grants.generation(owner) == grants.generation(beside) && !grants.isForced(owner)
				&& !grants.isForced(beside);
	}

}
