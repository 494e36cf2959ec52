package io.github.redislock.benchmarks.report;

import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contenders;

/**
 * A line of the report, which compares a measured value with a target.
 *
 * @param title the measured quantity, with its unit
 * @param caseName the case
 * @param metric the metric
 * @param limits the contenders that are lower limits
 * @param target the target for this project
 * @param contender this project, or a way to use it
 */
record Goal(String title, String caseName, String metric, List<String> limits, Target target, String contender) {

	private static final String LIMIT = "limit";

	private static final List<String> RAW = List.of(Contenders.RAW);

	private static final List<String> QUEUE = List.of(Contenders.RAW_QUEUE);

	private static final List<String> QUEUE_16 = List.of(Contenders.RAW_QUEUE_16);

	private static final List<String> BOTH_QUEUES = List.of(Contenders.RAW_QUEUE_16, Contenders.RAW_QUEUE);

	private static final List<String> ONE_PROCESS = List.of(Contenders.LOCAL, Contenders.RAW_GATED);

	private static final List<String> NOBODY = List.of();

	private static final Map<String, List<String>> SHOWN_METRICS = Map.of(Metrics.FREE, List.of(Metrics.REQUESTS),
			"own-16", List.of(Metrics.RATE), "own-64", List.of(Metrics.RATE), "hot-jvm",
			List.of(Metrics.RATE, Metrics.REQUESTS), "hot-4x4",
			List.of(Metrics.RATE, Metrics.HAND_OVER_P50, Metrics.HAND_OVER_P99), "hot-4x1", List.of(Metrics.RATE),
			"waiters", List.of(Metrics.REQUESTS_TO_ENQUEUE, Metrics.SERVE_ALL), "renewed",
			List.of(Metrics.SCRIPTS_PER_RENEWAL));

	/** The goals of the project. */
	static final List<Goal> PROMISED = List.of(
			new Goal("free lock and unlock: requests", Metrics.FREE, Metrics.REQUESTS, RAW, Target.atMost(2, "")),
			new Goal("… executed commands", Metrics.FREE, Metrics.EXECUTED, RAW, Target.atMost(10, "")),
			new Goal("… bytes on the wire", Metrics.FREE, Metrics.WIRE_BYTES, RAW, Target.atMost(330, "")),
			new Goal("… bytes allocated by the caller of execute", Metrics.FREE, Metrics.CALLER_BYTES, RAW,
					Target.atMost(2_000, "")),
			new Goal("… by the caller of acquire and close", Metrics.FREE, Metrics.CALLER_BYTES, RAW,
					Target.atMost(2_000, ""), Contenders.OURS_ACQUIRE),
			new Goal("… server CPU, µs", Metrics.FREE, Metrics.SERVER_CPU, RAW, timesRaw(1.2)),
			new Goal("own keys, 16 threads, pairs/s", "own-16", Metrics.RATE, RAW, atLeastTimesRaw(1.1)),
			new Goal("… server CPU, µs", "own-16", Metrics.SERVER_CPU, RAW, timesRaw(1.2)),
			new Goal("own keys, 64 threads, pairs/s", "own-64", Metrics.RATE, RAW, atLeastTimesRaw(1.4)),
			new Goal("own keys, 1 000 virtual threads, pairs/s", "own-virtual", Metrics.RATE, RAW,
					atLeastTimesRaw(1.4)),
			new Goal("one key, 8 threads, acquisitions/s", "hot-jvm-8", Metrics.RATE, ONE_PROCESS, timesRedisson(12)),
			new Goal("… naive cohort lock", "hot-jvm-8", Metrics.RATE, QUEUE_16, nearlyCohort()),
			new Goal("one key, 64 threads, acquisitions/s", "hot-jvm", Metrics.RATE, ONE_PROCESS, timesRedisson(12)),
			new Goal("… naive cohort lock", "hot-jvm", Metrics.RATE, QUEUE_16, nearlyCohort()),
			new Goal("… requests per acquisition", "hot-jvm", Metrics.REQUESTS, ONE_PROCESS, Target.atMost(0.07, "")),
			new Goal("… max/min acquisitions per thread", "hot-jvm", Metrics.FAIRNESS, ONE_PROCESS,
					Target.atMost(1.1, "")),
			new Goal("one key, 4 JVMs × 4 threads, acquisitions/s", "hot-4x4", Metrics.RATE, BOTH_QUEUES,
					timesRedisson(20)),
			new Goal("… naive cohort lock", "hot-4x4", Metrics.RATE, QUEUE_16, nearlyCohort()),
			new Goal("… hand-over between JVMs, p50, µs", "hot-4x4", Metrics.HAND_OVER_P50, QUEUE,
					Target.none(Target.Better.LOWER)),
			new Goal("… hand-over between JVMs, p99, µs", "hot-4x4", Metrics.HAND_OVER_P99, QUEUE,
					Target.none(Target.Better.LOWER)),
			new Goal("… messages per hand-over", "hot-4x4", Metrics.MESSAGES, QUEUE, Target.atMost(1, "")),
			new Goal("one key, 4 JVMs × 1 thread, acquisitions/s", "hot-4x1", Metrics.RATE, QUEUE,
					Target.atLeastTimes(0.9, Contenders.RAW_QUEUE, LIMIT)),
			new Goal("… hand-over between JVMs, p50, µs", "hot-4x1", Metrics.HAND_OVER_P50, QUEUE,
					Target.atMostTimes(1.3, Contenders.RAW_QUEUE, LIMIT)),
			new Goal("… server CPU, µs", "hot-4x1", Metrics.SERVER_CPU, QUEUE,
					Target.atMostTimes(1.3, Contenders.RAW_QUEUE, LIMIT)),
			new Goal("… executed commands per acquisition", "hot-4x1", Metrics.EXECUTED, QUEUE, Target.atMost(12, "")),
			new Goal("… max/min acquisitions per thread", "hot-4x1", Metrics.FAIRNESS, QUEUE, Target.atMost(1.1, "")),
			new Goal("200 waiters: requests to enqueue", "waiters", Metrics.REQUESTS_TO_ENQUEUE, QUEUE_16,
					Target.atMost(2, "")),
			new Goal("… requests per second while waiting", "waiters", Metrics.REQUESTS_WAITING, QUEUE_16,
					Target.atMost(1, "")),
			new Goal("… time to serve all, ms", "waiters", Metrics.SERVE_ALL, QUEUE_16, Target.atMost(40, "")),
			new Goal("10 000 renewed locks: scripts per renewal", "renewed", Metrics.SCRIPTS_PER_RENEWAL, NOBODY,
					Target.atMost(0.01, "")),
			new Goal("… CPU of the JVM, % of a core", "renewed", Metrics.CLIENT_CPU, NOBODY,
					Target.atMostTimes(1, Contenders.REDISSON, "Redisson")),
			new Goal("… threads", "renewed", Metrics.THREADS, NOBODY, Target.atMost(4, "")),
			new Goal("… bytes in the JVM", "renewed", Metrics.BYTES, NOBODY, Target.atMost(700, "")),
			new Goal("… keys in Redis", "renewed", Metrics.REDIS_KEYS, NOBODY, Target.atMost(1, "")),
			new Goal("… bytes in Redis", "renewed", Metrics.REDIS_BYTES, NOBODY, Target.none(Target.Better.LOWER)),
			new Goal("… keys in Redis, 3 s after the release", "renewed", Metrics.REDIS_KEYS_AFTER, NOBODY,
					Target.atMost(0, "")),
			new Goal("holder killed: next one in after its key expired, ms", "holder-killed", Metrics.AFTER_EXPIRY,
					QUEUE, Target.atMost(5, "")),
			new Goal("first waiter killed, then release: next one in, ms", "waiter-killed", Metrics.AFTER_RELEASE,
					QUEUE, new Target(Target.Better.LOWER, 1_010, null, "≤ claim (1 s) + 10")),
			new Goal("… the one after that, ms later", "waiter-killed", Metrics.FOLLOWING, QUEUE,
					Target.atMost(10, "")),
			new Goal("start of an application until two calls have returned, C1: CPU, ms", "start", Metrics.START_CPU,
					RAW, timesRaw(1.05)),
			new Goal("… loaded classes", "start", Metrics.START_CLASSES, RAW, Target.none(Target.Better.LOWER)));

	/** The same cases with a delay, as if Redis were on another machine. */
	static final List<Goal> SLOW_NETWORK = List.of(
			slow("one key, 64 threads, acquisitions/s", "slow-jvm", Metrics.RATE, ONE_PROCESS, true),
			slow("… requests per acquisition", "slow-jvm", Metrics.REQUESTS, ONE_PROCESS, false),
			slow("one key, 4 JVMs × 4 threads, acquisitions/s", "slow-4x4", Metrics.RATE, BOTH_QUEUES, true),
			slow("… hand-over between JVMs, p50, µs", "slow-4x4", Metrics.HAND_OVER_P50, QUEUE, false),
			slow("one key, 4 JVMs × 1 thread, acquisitions/s", "slow-4x1", Metrics.RATE, QUEUE, true),
			slow("… hand-over between JVMs, p50, µs", "slow-4x1", Metrics.HAND_OVER_P50, QUEUE, false));

	/** The goals that {@code docs/performance.md} shows. A run prints all of them. */
	static final List<Goal> SHOWN = PROMISED.stream().filter(Goal::isShown).toList();

	Goal(String title, String caseName, String metric, List<String> limits, Target target) {
		this(title, caseName, metric, limits, target, Contenders.OURS);
	}

	private boolean isShown() {
		return SHOWN_METRICS.getOrDefault(this.caseName, List.of()).contains(this.metric)
				&& !this.title.contains("cohort");
	}

	private static Goal slow(String title, String caseName, String metric, List<String> limits, boolean more) {
		return new Goal(title, caseName, metric, limits,
				Target.none(more ? Target.Better.HIGHER : Target.Better.LOWER));
	}

	private static Target timesRaw(double factor) {
		return Target.atMostTimes(factor, Contenders.RAW, LIMIT);
	}

	private static Target atLeastTimesRaw(double factor) {
		return Target.atLeastTimes(factor, Contenders.RAW, LIMIT);
	}

	private static Target nearlyCohort() {
		return Target.atLeastTimes(0.9, Contenders.RAW_QUEUE_16, LIMIT);
	}

	private static Target timesRedisson(double factor) {
		return Target.atLeastTimes(factor, Contenders.REDISSON, "Redisson");
	}

}
