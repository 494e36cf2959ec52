package io.github.redislock.simulation;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;

/**
 * Looks after locks without end, which only a forced release frees if their process has
 * died: asks an instance for the holder of each, and releases those that are still held
 * without a caller.
 */
final class Operator {

	private static final long BETWEEN_LOOKS = 1_000_000_000;

	private final World world;

	private final NothingLeft excuses;

	Operator(World world, NothingLeft excuses) {
		this.world = world;
		this.excuses = excuses;
	}

	/**
	 * Check from time to time, until all callers have ended.
	 */
	void begin() {
		look();
		if (!this.world.isOver()) {
			this.world.time().after(BETWEEN_LOOKS, this::begin);
		}
	}

	void look() {
		Instance instance = this.world.instances().get(0);
		Caller caller = this.world.newCaller(instance);
		caller.execute(() -> this.world.names().forEach((name) -> look(instance, LockTarget.of(name))));
	}

	private void look(Instance instance, LockTarget target) {
		try {
			LockState seen = instance.engine().inspect(target).orElse(null);
			if (seen != null && seen.neverExpires() && isNobody(target, seen.owner())) {
				boolean taken = instance.engine().forceRelease(target, seen);
				this.world.counts().count(taken ? "lock without end freed" : "lock without end gone");
			}
		}
		catch (LockException ex) {
			this.world.counts().count("operator told: " + ex.getClass().getSimpleName());
		}
	}

	/**
	 * Return whether no living caller has a lock, as far as an operator must act:
	 * anything else that is left is a mistake.
	 */
	private boolean isNobody(LockTarget target, String owner) {
		boolean held = this.world.attempts()
			.stream()
			.anyMatch((attempt) -> attempt.isHolding() && !attempt.instance().host().isDead()
					&& attempt.handle().owner().equals(owner));
		return !held && target.names()
			.stream()
			.map(LockNames::lock)
			.anyMatch((lock) -> this.world.servers()
				.stream()
				.anyMatch((server) -> this.excuses.excuses(server, lock, owner)));
	}

}
