package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.List;

import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;

/**
 * A process is killed at the wrong moment, and another one waits for its lock.
 */
abstract class CrashCase implements Case {

	static final String CLIENT = "measured";

	/** Short, so that a dead holder's lock is soon free. */
	static final Duration LEASE = Duration.ofSeconds(2);

	/** A waiter that is not served within this time is given up. */
	static final Duration GIVE_UP = Duration.ofMillis(Math.round(Metrics.NEVER));

	private static final int CAREFUL_ROUNDS = 3;

	@Override
	public List<String> contenders() {
		return List.of(Contenders.RAW_QUEUE, Contenders.OURS, Contenders.REDISSON, Contenders.REDISSON_FAIR,
				Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);
	}

	@Override
	public int rounds(Pace pace) {
		return pace.is(Pace.FULL) ? Math.min(CAREFUL_ROUNDS, pace.rounds()) : 1;
	}

}
