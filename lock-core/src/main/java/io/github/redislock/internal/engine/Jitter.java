package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.github.redislock.internal.support.Durations;

/**
 * Adds jitter to pauses, so that processes do not send requests at the same time.
 *
 * @param random a thread-safe source of random numbers
 */
record Jitter(RandomGenerator random) {

	/**
	 * Return a duration that differs from the usual one by up to 10 %.
	 */
	Duration around(Duration usual) {
		Duration tenth = usual.dividedBy(10);
		return between(usual.minus(tenth), usual.plus(tenth));
	}

	Duration between(Duration shortest, Duration longest) {
		long least = Durations.nanos(shortest);
		return Duration.ofNanos(least + this.random.nextLong(Durations.nanos(longest) - least + 1));
	}

}
