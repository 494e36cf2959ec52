package io.github.redislock.benchmarks.report;

/**
 * The names of measured values.
 */
public final class Metrics {

	public static final String RATE = "acquisitions-per-s";

	/** The case of a free lock. */
	public static final String FREE = "free";

	/** Before the name of a server: the case of a free lock on that server. */
	public static final String FREE_ON = FREE + "@";

	/** Suffix for a value that was measured with Redis and its client on one core. */
	public static final String ONE_CORE = "-one-core";

	/** A number for the process that was measured in a round. */
	public static final String JVM = "jvm";

	/** The median time for lock and unlock, with one thread. */
	public static final String PAIR_P50 = "pair-p50-us";

	/** The 99th percentile of the time for lock and unlock, with one thread. */
	public static final String PAIR_P99 = "pair-p99-us";

	/**
	 * The acquisitions of the busiest thread, divided by those of the least busy thread.
	 */
	public static final String FAIRNESS = "max-by-min-thread";

	/**
	 * The median time from the end of a critical section in one process to its beginning
	 * in another process.
	 */
	public static final String HAND_OVER_P50 = "hand-over-p50-us";

	/** The 99th percentile of the time of a hand-over between processes. */
	public static final String HAND_OVER_P99 = "hand-over-p99-us";

	/** Requests on the wire for each acquisition and its release. */
	public static final String REQUESTS = "requests-per-acquisition";

	/**
	 * Commands that Redis executed for each acquisition, including those inside scripts.
	 */
	public static final String EXECUTED = "executed-per-acquisition";

	/** Bytes that Redis received and sent for each acquisition. */
	public static final String WIRE_BYTES = "wire-bytes-per-acquisition";

	/** Bytes that the calling thread allocates for each acquisition, with one thread. */
	public static final String CALLER_BYTES = "caller-bytes-per-acquisition";

	/** The CPU time of the Redis process for each acquisition. */
	public static final String SERVER_CPU = "server-cpu-us-per-acquisition";

	/** Messages that subscribers received for each hand-over between processes. */
	public static final String MESSAGES = "messages-per-hand-over";

	/** Requests until many waiters are in the queue. */
	public static final String REQUESTS_TO_ENQUEUE = "requests-to-enqueue";

	/** Requests per second while many callers wait and no lock is released. */
	public static final String REQUESTS_WAITING = "requests-per-s-waiting";

	/** The time from the release until the last of many waiters was served. */
	public static final String SERVE_ALL = "serve-all-ms";

	public static final String SCRIPTS_PER_RENEWAL = "scripts-per-renewal";

	/** The CPU time of the process that holds locks, in percent of one core. */
	public static final String CLIENT_CPU = "client-cpu-percent";

	/** Threads that a client adds to its process. */
	public static final String THREADS = "threads";

	/** Heap in use for each lock that is held. */
	public static final String BYTES = "bytes-per-lock";

	/** Keys in Redis for each lock that is held. */
	public static final String REDIS_KEYS = "redis-keys-per-lock";

	/** Memory in Redis for each lock that is held. */
	public static final String REDIS_BYTES = "redis-bytes-per-lock";

	/** Keys that are left in Redis for each lock, a while after its release. */
	public static final String REDIS_KEYS_AFTER = "redis-keys-after-release";

	/**
	 * The time from the expiry of a dead holder's key until the next holder has the lock.
	 */
	public static final String AFTER_EXPIRY = "after-expiry-ms";

	/**
	 * The time from a release until the next holder has the lock, if the first waiter is
	 * dead.
	 */
	public static final String AFTER_RELEASE = "after-release-ms";

	/** The time between the grants to the two waiters behind a dead one. */
	public static final String FOLLOWING = "following-ms";

	/** The time to acquire a lock on five servers, all of which are up. */
	public static final String ACQUIRE_OF_ALL = "acquire-all-up";

	/** The time to acquire a lock while two of the five servers are stopped. */
	public static final String ACQUIRE_TWO_FROZEN = "acquire-2-frozen";

	/** The time to acquire a lock while two of the five servers are dead. */
	public static final String ACQUIRE_TWO_KILLED = "acquire-2-killed";

	/** Calls that were refused because another owner held their lock. */
	public static final String CROWD_REFUSED = "refused";

	/** Calls that sent no request to Redis, or got an error reply. */
	public static final String CROWD_UNASKED = "unasked";

	/** Calls whose outcome in Redis is unknown. */
	public static final String CROWD_UNKNOWN = "unknown";

	/** How long after the end of its waiting time a call completes. */
	public static final String LATE = "late";

	/** Acquisitions per second of the regular callers, without a crowd. */
	public static final String RATE_ALONE = "acquisitions-per-s-without-crowd";

	/**
	 * The acquisitions per second of the regular callers while a crowd is refused,
	 * divided by those without a crowd.
	 */
	public static final String RATE_SHARE = "share-of-acquisitions";

	/** How long a call takes that is refused because too many callers wait. */
	public static final String REFUSAL = "refusal";

	/** Heap that is still in use for each refused caller. */
	public static final String REFUSAL_BYTES = "bytes-per-refusal";

	/** The CPU time of a process until its first two calls under a lock have returned. */
	public static final String START_CPU = "start-cpu-ms";

	/** The classes that a process has loaded until then. */
	public static final String START_CLASSES = "start-classes";

	/** Suffix for the median of a time. */
	public static final String P50 = "-p50-us";

	/** Suffix for the 99th percentile of a time. */
	public static final String P99 = "-p99-us";

	/** Suffix for the time of a benchmark. */
	public static final String NANOS = "-ns";

	/** Suffix for the number of bytes that each call of a benchmark allocates. */
	public static final String ALLOCATED = "-bytes";

	/** A value in milliseconds that means "not reached within this time". */
	public static final double NEVER = 15_000;

	private Metrics() {
	}

}
