package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.LockNotAcquiredException;

/**
 * A caller that waits long enough gets the lock once all faults have ended.
 */
final class EveryoneServed extends Rule {

	/** A waiting time that must be enough to get the lock. */
	static final Duration PATIENT = Duration.ofMinutes(2);

	EveryoneServed(World world) {
		super(world);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		if (failure instanceof LockNotAcquiredException && attempt.ask().terms().waitTime().compareTo(PATIENT) >= 0) {
			broken("caller %s of %s waited %d s without getting the lock: %s".formatted(attempt, attempt.instance(),
					attempt.ask().terms().waitTime().toSeconds(), failure.getMessage()));
		}
	}

	@Override
	void calm() {
		world().attempts()
			.stream()
			.filter((attempt) -> !attempt.isOver())
			.findFirst()
			.ifPresent((attempt) -> broken("caller %s of %s has not finished".formatted(attempt, attempt.instance())));
	}

}
