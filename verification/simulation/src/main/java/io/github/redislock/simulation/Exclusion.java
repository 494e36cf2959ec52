package io.github.redislock.simulation;

import java.util.Collections;
import java.util.List;

import io.github.redislock.HeldLock;
import io.github.redislock.LockTarget;

/**
 * At any moment, at most one handle of a name is valid by the clock of its instance. For
 * a shared lock, the limit is the number of holders that may share it. The rule does not
 * apply after a loss of data or a forced release, or to handles that share a grant or an
 * owner token.
 */
final class Exclusion extends Rule {

	Exclusion(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
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
			if (!other.equals(one) && isValid(other) && !other.sharesGrant(one) && !other.sharesOwner(one)
					&& !mayBeTogether(one, other) && isPromised(one, other)) {
				broken("caller %s of %s and caller %s of %s both have '%s' by their own clocks, tokens %d and %d"
					.formatted(other, other.instance(), one, one.instance(), one.ask().target(),
							other.handle().fencingToken(), one.handle().fencingToken()));
			}
		}
	}

	/**
	 * Return whether a handle claims its lock now. A machine claims nothing while it is
	 * suspended.
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
		// Each holder has its own limit for the number of holders, and the holder that
		// came last may have the highest limit.
		List<HeldLock> all = world().attempts()
			.stream()
			.filter((attempt) -> isValid(attempt) && attempt.handle().target().isShared()
					&& attempt.handle().target().names().equals(target.names()) && isPromised(one, attempt))
			.map(Attempt::handle)
			.toList();
		return all.stream().map(HeldLock::owner).distinct().count() <= all.stream()
			.mapToInt((valid) -> valid.target().maxHolders())
			.max()
			.orElse(0);
	}

	private boolean isPromised(Attempt one, Attempt other) {
		Grants grants = world().grants();
		String owner = one.handle().owner();
		String beside = other.handle().owner();
		if (world().isShared(one) || world().isShared(other) || grants.isForced(owner) || grants.isForced(beside)) {
			return false;
		}
		return world().isQuorum() ? world().votes().keepOthersOut(owner) && world().votes().keepOthersOut(beside)
				: grants.generation(one.handle()) == grants.generation(other.handle());
	}

}
