package io.github.redislock.simulation;

import java.util.Objects;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;

/**
 * Releases never-expiring locks by force if no caller holds them, because nothing else
 * releases the locks of a process that has died. The operator inspects each lock first.
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
	 * Check once a second until all callers have finished.
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
			if (seen != null && seen.neverExpires() && isNobody(target, Objects.requireNonNull(seen.owner()))) {
				boolean taken = instance.engine().forceRelease(target, seen);
				this.world.counts().count(taken ? "never-expiring lock released" : "never-expiring lock gone");
			}
		}
		catch (LockException ex) {
			this.world.counts().count("operator failed: " + ex.getClass().getSimpleName());
		}
	}

	/**
	 * Return whether no living caller holds a lock, and a fault explains why it is still
	 * in Redis. Without such a fault, the operator leaves the lock in Redis, so that
	 * {@link NothingLeft} reports it.
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
