package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;
import io.github.redislock.internal.engine.EngineStates;

/**
 * A loss is reported within 50 ms after the deadline, by the clock of the instance. If
 * the instance is stopped at that time, it reports the loss within 50 ms after it
 * resumes. Instances that were suspended are not checked, nor are locks about which the
 * holder is still asking, because it was told that they were released by force.
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
			// A caller that was notified of the loss may still count as holding, because
			// it is waiting for something else.
			if (!attempt.isHolding() || attempt.isLost()) {
				return;
			}
			// After a stop, overdue tasks run in any order.
			if (over && !handle.isHeld() && !EngineStates.isUnsure(handle) && host.stopped() == stopped
					&& !host.wasSuspended()) {
				broken("the lease of caller %s of %s has been over for %d ms, but no loss was reported"
					.formatted(attempt, attempt.instance(), PROMPTLY.toMillis()));
				return;
			}
			watch(attempt, handle);
		}, remaining.plus(over ? PROMPTLY : Duration.ZERO));
	}

}
