package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.runner.LoopCase.Condition;
import io.github.redislock.benchmarks.runner.LoopCase.Load;

/**
 * All cases.
 */
final class Cases {

	private static final List<String> IN_ONE_PROCESS = List.of(Contenders.LOCAL, Contenders.RAW_GATED,
			Contenders.RAW_QUEUE_16, Contenders.OURS, Contenders.REDISSON, Contenders.REDISSON_FAIR,
			Contenders.REDISSON_SPIN, Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);

	private static final List<String> BETWEEN_PROCESSES = List.of(Contenders.RAW_QUEUE, Contenders.RAW_QUEUE_16,
			Contenders.OURS, Contenders.REDISSON, Contenders.REDISSON_FAIR, Contenders.REDISSON_SPIN,
			Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);

	/**
	 * Contenders for one key, with several processes of one thread each, so that no lock
	 * is passed on within a process.
	 */
	private static final List<String> BETWEEN_THREADS = List.of(Contenders.RAW_QUEUE, Contenders.OURS,
			Contenders.REDISSON, Contenders.REDISSON_FAIR, Contenders.REDISSON_SPIN, Contenders.SPRING_SPIN,
			Contenders.SPRING_PUBSUB);

	private static final List<String> OWN_KEYS = List.of(Contenders.RAW, Contenders.RAW_JEDIS, Contenders.OURS,
			Contenders.OURS_JEDIS, Contenders.REDISSON, Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);

	private static final List<String> OWN_KEYS_OF_MANY = List.of(Contenders.RAW, Contenders.OURS, Contenders.REDISSON,
			Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);

	private Cases() {
	}

	static List<Case> all() {
		return List.of(new FreeCase(Metrics.FREE),
				new LoopCase("own-16", "16 threads, each with its own key", Load.own(16), OWN_KEYS),
				new LoopCase("own-64", "64 threads, each with its own key", Load.own(64), OWN_KEYS),
				new LoopCase("own-virtual", "1 000 virtual threads, each with its own key",
						Load.own(1_000, Condition.VIRTUAL_THREADS), OWN_KEYS_OF_MANY),
				new LoopCase("hot-jvm-8", "One key, 8 threads of one JVM", Load.shared(1, 8), IN_ONE_PROCESS),
				new LoopCase("hot-jvm", "One key, 64 threads of one JVM", Load.shared(1, 64), IN_ONE_PROCESS),
				new LoopCase("hot-4x4", "One key, 4 JVMs of 4 threads", Load.shared(4, 4), BETWEEN_PROCESSES),
				new LoopCase("hot-4x1", "One key, 4 JVMs of 1 thread", Load.shared(4, 1), BETWEEN_THREADS),
				new LoopCase("slow-jvm", "One key, 64 threads of one JVM, 0.25 ms to Redis",
						Load.shared(1, 64, Condition.SLOW_NETWORK), IN_ONE_PROCESS),
				new LoopCase("slow-4x4", "One key, 4 JVMs of 4 threads, 0.25 ms to Redis",
						Load.shared(4, 4, Condition.SLOW_NETWORK), BETWEEN_PROCESSES),
				new LoopCase("slow-4x1", "One key, 4 JVMs of 1 thread, 0.25 ms to Redis",
						Load.shared(4, 1, Condition.SLOW_NETWORK), BETWEEN_THREADS),
				new WaitersCase(), new RenewedCase(), new HolderKilledCase(), new WaiterKilledCase(), new QuorumCase(),
				new CrowdCase(), new DoorCase(), JmhCase.MEMORY, new StartCase());
	}

}
