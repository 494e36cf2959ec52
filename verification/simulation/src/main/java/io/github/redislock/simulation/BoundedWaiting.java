package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.AsyncLockHandle;

/**
 * A call ends within its waiting time and half a second, or one command time-out; time
 * during which the instance stood still does not count.
 */
final class BoundedWaiting extends Rule {

	private static final Duration REPLIED = Duration.ofMillis(500);

	/** From thread to thread, and for a clock that runs slowly. */
	private static final Duration HOPS = Duration.ofMillis(50);

	BoundedWaiting(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, AsyncLockHandle handle) {
		check(attempt);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		check(attempt);
	}

	private void check(Attempt attempt) {
		// A quorum goes on for one more time-out where votes are split.
		Duration timeout = world().setting().commandTimeout().multipliedBy(world().isQuorum() ? 2 : 1);
		Duration bound = attempt.ask().waitTime().plus((timeout.compareTo(REPLIED) > 0) ? timeout : REPLIED).plus(HOPS);
		long waited = attempt.waitedNanos();
		if (waited > bound.toNanos()) {
			broken("caller %s of %s wanted to wait %d ms, and its wait ended only after %d ms".formatted(attempt,
					attempt.instance(), attempt.ask().waitTime().toMillis(), waited / 1_000_000));
		}
	}

}
