package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.Map;

import io.github.redislock.HeldLock;

/**
 * A thread that acquires a lock that it already holds gets it at once, with the same
 * grant and the same token.
 */
final class SameLockAgain extends Rule {

	/**
	 * For each attempt, the attempt of the same thread that already held the lock when
	 * this one began.
	 */
	private final Map<Attempt, Attempt> outer = new HashMap<>();

	SameLockAgain(World world) {
		super(world);
	}

	@Override
	void asked(Attempt attempt) {
		world().attempts()
			.stream()
			.filter((other) -> attempt.caller() != null && other.caller() == attempt.caller())
			.filter((other) -> other.ask().target().equals(attempt.ask().target()))
			.filter((other) -> other.isHolding() && other.handle().isHeld())
			.findFirst()
			.ifPresent((other) -> this.outer.put(attempt, other));
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		Attempt held = this.outer.get(attempt);
		if (held != null && (!attempt.sharesGrant(held) || attempt.waitedNanos() > 0)) {
			broken("caller %s of %s holds '%s' with token %d, but got it again with token %d".formatted(held,
					held.instance(), handle.target(), held.handle().fencingToken(), handle.fencingToken()));
		}
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		Attempt held = this.outer.get(attempt);
		if (held != null) {
			broken("caller %s of %s holds '%s', but did not get it again: %s".formatted(held, held.instance(),
					attempt.ask().target(), failure));
		}
	}

}
