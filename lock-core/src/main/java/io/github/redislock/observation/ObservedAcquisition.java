package io.github.redislock.observation;

import java.time.Duration;
import java.util.Map;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockCancelledException;
import io.github.redislock.LockException;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockListener;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.observation.LockAcquireContext.Outcome;
import io.micrometer.observation.Observation;

/**
 * The observation of one caller's wait. It may begin and end on different threads, so it
 * is never the current observation of any thread.
 */
record ObservedAcquisition(Observation observation, LockAcquireContext context) implements LockListener {

	/** The failures that are not errors. */
	private static final Map<Class<? extends LockException>, Outcome> OUTCOMES = Map.of(LockInterruptedException.class,
			Outcome.INTERRUPTED, LockCancelledException.class, Outcome.CANCELLED, LockShutdownException.class,
			Outcome.SHUTDOWN);

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		this.context.acquired(from, lock.fencingToken());
		this.observation.stop();
	}

	@Override
	public void refused(LockTarget target, Duration waited, int waitingCallers) {
		this.context.ended((waitingCallers > 0) ? Outcome.REFUSED : Outcome.TIMEOUT);
		this.observation.stop();
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		Outcome outcome = OUTCOMES.getOrDefault(failure.getClass(), Outcome.ERROR);
		this.context.ended(outcome);
		if (outcome == Outcome.ERROR) {
			this.observation.error(failure);
		}
		this.observation.stop();
	}

}
