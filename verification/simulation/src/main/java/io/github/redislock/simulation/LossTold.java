package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;

/**
 * A loss is reported at the deadline at the latest, by the clock of the instance. If the
 * instance is stopped at that time, it reports the loss as soon as it resumes.
 */
final class LossTold extends Rule {

	private static final Duration PROMPTLY = Duration.ofMillis(50);

	LossTold(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		// A lock that never expires has no deadline.
		if (!attempt.ask().terms().isEndless()) {
			watch(attempt, handle);
		}
	}

	private void watch(Attempt attempt, HeldLock handle) {
		Host host = attempt.instance().host();
		Duration remaining = handle.remaining();
		boolean over = remaining.isZero();
		long stopped = host.stopped();
		host.schedule(() -> {
			// A caller to which the loss was reported may still wait for something else.
			if (!attempt.isHolding() || attempt.isLost()) {
				return;
			}
			// After a stop, overdue tasks run in any order.
			if (over && !handle.isHeld() && host.stopped() == stopped && !host.wasSuspended()) {
				broken("lease of caller %s of %s has been over for %d ms, but no loss was reported".formatted(attempt,
						attempt.instance(), PROMPTLY.toMillis()));
				return;
			}
			watch(attempt, handle);
		}, remaining.plus(over ? PROMPTLY : Duration.ZERO));
	}

}
