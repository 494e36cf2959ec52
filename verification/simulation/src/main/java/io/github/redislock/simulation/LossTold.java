package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;

/**
 * A loss is reported no later than the deadline, by the clock of the instance, or after a
 * stop as soon as the instance resumes.
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
			// After the report, the caller's thread may still be waiting for something
			// else.
			if (!attempt.isHolding() || attempt.isLost()) {
				return;
			}
			// After a stop, due tasks come in any order.
			if (over && !handle.isHeld() && host.stopped() == stopped && !host.wasSuspended()) {
				broken("the lease of caller %s of %s ended over %d ms ago, and no loss was reported".formatted(attempt,
						attempt.instance(), PROMPTLY.toMillis()));
				return;
			}
			watch(attempt, handle);
		}, remaining.plus(over ? PROMPTLY : Duration.ZERO));
	}

}
