package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.redislock.benchmarks.contender.Contenders;

/**
 * How long and how often to measure, and with how many locks.
 *
 * @param name the command that selects this pace
 * @param jvms the number of processes of each contender, one after the other, that
 * measure a free lock
 * @param rounds the number of rounds for each contender in each case
 * @param warmUp how long a contender runs before its first round
 * @param window how long a contender is measured in a round
 * @param locks the number of locks in cases with many locks
 * @param lease the lease in cases whose length depends on the lease
 */
record Pace(String name, int jvms, int rounds, Duration warmUp, Duration window, int locks, Duration lease) {

	static final Pace SMOKE = new Pace("smoke", 1, 1, Duration.ofMillis(100), Duration.ofMillis(100), 200,
			Duration.ofMillis(1_500));

	static final Pace QUICK = new Pace("quick", 3, 2, Duration.ofMillis(500), Duration.ofMillis(500), 10_000,
			Duration.ofSeconds(30));

	static final Pace FULL = new Pace("full", 5, 5, Duration.ofSeconds(20), Duration.ofMillis(1_500), 10_000,
			Duration.ofSeconds(30));

	private static final Duration LEAST = Duration.ofMillis(100);

	/** The window of short rounds. */
	private static final Duration SHORT = Duration.ofMillis(150);

	/** The longest warm-up before short rounds, of which there are many. */
	private static final Duration SHORT_WARM_UP = Duration.ofSeconds(10);

	/** Cases that "quick" leaves out because they resemble others. */
	private static final Set<String> NOT_QUICK = Set.of("own-16", "hot-jvm-8", "slow-jvm", "slow-4x1", "start");

	static Pace named(String name) {
		return switch (name) {
			case "smoke" -> SMOKE;
			case "full" -> FULL;
			default -> QUICK;
		};
	}

	/**
	 * Return the default contenders, or an empty list for all.
	 */
	List<String> contenders() {
		return switch (this.name) {
			case "smoke" -> List.of(Selection.LIMIT, Contenders.OURS, Contenders.OURS_ACQUIRE, Contenders.OURS_JEDIS,
					Contenders.OURS_JEDIS_ACQUIRE);
			case "quick" -> List.of(Selection.LIMIT, Contenders.OURS, Contenders.OURS_ACQUIRE, Contenders.OURS_JEDIS,
					Contenders.OURS_JEDIS_ACQUIRE, Contenders.REDISSON, Contenders.SPRING_SPIN);
			default -> List.of();
		};
	}

	List<String> jvmOptions() {
		return is(SMOKE) ? List.of("-XX:TieredStopAtLevel=1") : List.of();
	}

	/**
	 * Return whether a case runs by default.
	 */
	boolean includes(Case present) {
		return !is(QUICK) || !NOT_QUICK.contains(present.name());
	}

	boolean is(Pace other) {
		return this.name.equals(other.name);
	}

	/**
	 * Return the pace for contenders that alternate in short rounds, because the speed of
	 * a machine changes within seconds.
	 */
	Pace inShortRounds() {
		Duration warm = least(this.warmUp.multipliedBy(2), SHORT_WARM_UP);
		return new Pace(this.name, this.jvms, this.rounds, warm, least(this.window, SHORT), this.locks, this.lease);
	}

	Pace withWindow(Duration changed) {
		return new Pace(this.name, this.jvms, this.rounds, this.warmUp, changed, this.locks, this.lease);
	}

	Pace withRounds(int changed) {
		return new Pace(this.name, this.jvms, changed, this.warmUp, this.window, this.locks, this.lease);
	}

	Pace withJvms(int changed) {
		return new Pace(this.name, changed, this.rounds, this.warmUp, this.window, this.locks, this.lease);
	}

	/**
	 * Return how long all threads run before a window begins.
	 */
	Duration lead() {
		Duration fifth = this.window.dividedBy(5);
		return (this.window.compareTo(SHORT) > 0) ? most(fifth, LEAST) : fifth;
	}

	/**
	 * Return how long requests are counted. This time can be shorter than the window,
	 * because no times are measured.
	 */
	Duration counting() {
		return most(this.window.dividedBy(3), LEAST);
	}

	private static Duration least(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration most(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

}
