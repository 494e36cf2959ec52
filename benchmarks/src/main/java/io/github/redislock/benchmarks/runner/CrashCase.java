package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.List;

import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;

/**
 * A case in which a process is killed while others wait for a lock.
 */
abstract class CrashCase implements Case {

	static final String CLIENT = "measured";

	/** The lease, which is short so that a dead holder's lock is soon free. */
	static final Duration LEASE = Duration.ofSeconds(2);

	/** How long a waiter may take to acquire the lock once the lock is free. */
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
