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
		if (this.load.is(Condition.VIRTUAL_THREADS) && !WorkerThreads.hasVirtual()) {
			return "virtual threads need JDK 21";
		}
		return this.load.is(Condition.ONE_CORE) ? OneCore.obstacle() : "";
	}

	@Override
	public Run prepare(Bench bench, Contender contender) throws Exception {
		LoopRun run = new LoopRun(bench, contender, this.load);
		try {
			run.warmUp();
			return run;
		}
		catch (Exception ex) {
			run.close();
			throw ex;
		}
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
		SLOW_NETWORK,

		/** Redis and its clients share one core. */
		ONE_CORE

	}

}
