package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.redislock.benchmarks.contender.Contenders;

/**
 * How long and how often to measure, and with how many locks.
 *
 * @param name the command that selects this pace
 * @param rounds the number of rounds for each contender in each case
 * @param warmUp how long a contender runs before its first round
 * @param window how long a contender is measured in a round
 * @param locks the number of locks in cases with many locks
 * @param lease the lease in cases whose length depends on the lease
 */
record Pace(String name, int rounds, Duration warmUp, Duration window, int locks, Duration lease) {

	static final Pace SMOKE = new Pace("smoke", 1, Duration.ofMillis(100), Duration.ofMillis(100), 200,
			Duration.ofMillis(1_500));

	static final Pace QUICK = new Pace("quick", 2, Duration.ofMillis(500), Duration.ofMillis(500), 10_000,
			Duration.ofSeconds(30));

	static final Pace FULL = new Pace("full", 5, Duration.ofSeconds(6), Duration.ofMillis(1_500), 10_000,
			Duration.ofSeconds(30));

	private static final Duration LEAST = Duration.ofMillis(100);

	/** Cases that "quick" leaves out because they resemble others. */
	private static final Set<String> NOT_QUICK = Set.of("own-16", "hot-jvm-8", "slow-jvm", "slow-4x1", "jmh-free");

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
			case "smoke" -> List.of(Selection.LIMIT, Contenders.OURS, Contenders.OURS_ACQUIRE);
			case "quick" -> List.of(Selection.LIMIT, Contenders.OURS, Contenders.OURS_ACQUIRE, Contenders.REDISSON,
					Contenders.SPRING_SPIN);
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

	Pace withWindow(Duration changed) {
		return new Pace(this.name, this.rounds, this.warmUp, changed, this.locks, this.lease);
	}

	Pace withRounds(int changed) {
		return new Pace(this.name, changed, this.warmUp, this.window, this.locks, this.lease);
	}

	/**
	 * Return how long all threads run before a window begins.
	 */
	Duration lead() {
		Duration fifth = this.window.dividedBy(5);
		return (fifth.compareTo(LEAST) < 0) ? LEAST : fifth;
	}

	/**
	 * Return how long requests are counted. This time can be shorter than the window,
	 * because no times are measured.
	 */
	Duration counting() {
		Duration third = this.window.dividedBy(3);
		return (third.compareTo(LEAST) < 0) ? LEAST : third;
	}

}
