package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A caller that is interrupted while it waits for a lock stops waiting at once. If it was
 * granted the lock at the same moment, it stops waiting as soon as it has released the
 * lock. After a call, the interrupt flag of its thread is set if and only if the thread
 * was interrupted.
 */
final class InterruptHeard extends Rule {

	/** The tolerance for hops between threads. */
	private static final Duration HOPS = Duration.ofMillis(1);

	/** The time for which a release may wait for a renewal. */
	private static final Duration RENEWAL = Duration.ofMillis(100);

	InterruptHeard(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		requireFlag(attempt);
	}

	@Override
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
		requireFlag(attempt);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		requireFlag(attempt);
		Caller caller = attempt.caller();
		if (!(failure instanceof LockInterruptedException) || !attempt.instance().isOpen()) {
			return;
		}
		if (caller == null || !caller.wasInterrupted()) {
			broken("caller %s of %s reported an interrupt that did not happen".formatted(attempt, attempt.instance()));
			return;
		}
		world().counts().count(caller.givesBack() ? "interrupted: gave a lock back" : "interrupted: waits no more");
		long waited = Math.min(attempt.waitedNanos(), caller.sinceInterrupt());
		Duration bound = caller.givesBack() ? world().longestReply().plus(RENEWAL) : Duration.ZERO;
		if (waited > bound.plus(HOPS).toNanos()) {
			broken("caller %s of %s reported its interrupt only after %d ms".formatted(attempt, attempt.instance(),
					waited / 1_000_000));
		}
	}

	private void requireFlag(Attempt attempt) {
		Caller caller = attempt.caller();
		if (caller != null && caller.wasInterrupted() != Thread.currentThread().isInterrupted()) {
			broken("the thread of caller %s of %s was %sinterrupted, and its flag is %s".formatted(attempt,
					attempt.instance(), caller.wasInterrupted() ? "" : "not ",
					caller.wasInterrupted() ? "not set" : "set"));
		}
	}

}
