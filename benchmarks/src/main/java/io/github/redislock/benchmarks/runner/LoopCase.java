package io.github.redislock.benchmarks.runner;

import java.util.List;
import java.util.Set;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.WorkerThreads;

/**
 * Threads of one or more processes acquire and release locks repeatedly.
 *
 * @param name the name
 * @param title the title
 * @param load the processes, threads and locks
 * @param contenders the contenders
 */
record LoopCase(String name, String title, Load load, List<String> contenders) implements Case {

	@Override
	public String obstacle() {
		return (this.load.is(Condition.VIRTUAL_THREADS) && !WorkerThreads.hasVirtual()) ? "virtual threads need JDK 21"
				: "";
	}

	@Override
	public Run prepare(Bench bench, Contender contender) throws Exception {
		return LoopRun.warm(bench, contender, this.load, bench.pace());
	}

	/**
	 * The threads and their locks.
	 *
	 * @param processes the number of processes
	 * @param threads the number of threads in each process
	 * @param shared whether all threads use one lock, instead of one lock each
	 * @param conditions unusual conditions
	 */
	record Load(int processes, int threads, boolean shared, Set<Condition> conditions) {

		static Load shared(int processes, int threads, Condition... conditions) {
			return new Load(processes, threads, true, Set.of(conditions));
		}

		static Load own(int threads, Condition... conditions) {
			return new Load(1, threads, false, Set.of(conditions));
		}

		boolean is(Condition condition) {
			return this.conditions.contains(condition);
		}

	}

	/**
	 * An unusual condition.
	 */
	enum Condition {

		/** The threads are virtual. */
		VIRTUAL_THREADS,

		/** Redis is reached over the slow network. */
		SLOW_NETWORK

	}

}
