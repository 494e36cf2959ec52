package io.github.redislock.benchmarks.runner;

/**
 * The names under which values are kept.
 */
public final class Metrics {

	/** Acquisitions each second. */
	public static final String RATE = "acquisitions-per-s";

	/** Of one thread: the time for lock and unlock. */
	public static final String PAIR_P50 = "pair-p50-us";

	/** Of one thread: the time for lock and unlock that one in a hundred exceeds. */
	public static final String PAIR_P99 = "pair-p99-us";

	/** The thread with the most acquisitions by that with the least. */
	public static final String FAIRNESS = "max-by-min-thread";

	/** From the end of the section in one process to its begin in another. */
	public static final String HAND_OVER_P50 = "hand-over-p50-us";

	/** The same, which one in a hundred exceeds. */
	public static final String HAND_OVER_P99 = "hand-over-p99-us";

	/** Requests on the wire for each acquisition and its release. */
	public static final String REQUESTS = "requests-per-acquisition";

	/** Commands that Redis executed, inside of scripts too. */
	public static final String EXECUTED = "executed-per-acquisition";

	/** What the process of Redis computed. */
	public static final String SERVER_CPU = "server-cpu-us-per-acquisition";

	/** Messages that subscribers received for each hand-over between processes. */
	public static final String MESSAGES = "messages-per-hand-over";

	private Metrics() {
	}

}
