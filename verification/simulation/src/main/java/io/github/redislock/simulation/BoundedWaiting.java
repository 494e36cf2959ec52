package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;
import io.github.redislock.LockInterruptedException;

/**
 * A call ends within its waiting time and half a second, or one command time-out; time
 * during which the instance stood still does not count.
 */
final class BoundedWaiting extends Rule {

	/** From thread to thread, and for a clock that runs slowly. */
	private static final Duration HOPS = Duration.ofMillis(50);

	BoundedWaiting(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		check(attempt);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		// How soon an interrupt is heard is seen to by another rule.
		if (!(failure instanceof LockInterruptedException)) {
			check(attempt);
		}
	}

	private void check(Attempt attempt) {
		Duration bound = attempt.ask().terms().waitTime().plus(world().longestAnswer()).plus(HOPS);
		long waited = attempt.waitedNanos();
		if (waited > bound.toNanos()) {
			broken("caller %s of %s wanted to wait %d ms, and its wait ended only after %d ms".formatted(attempt,
					attempt.instance(), attempt.ask().terms().waitTime().toMillis(), waited / 1_000_000));
		}
	}

}
