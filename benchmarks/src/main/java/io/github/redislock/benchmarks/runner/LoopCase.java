package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.WorkerThreads;

/**
 * Threads of one or more processes take locks and let them go, again and again.
 *
 * @param name the name
 * @param title what is measured
 * @param load how many of whom, and which locks
 * @param contenders who takes part
 */
record LoopCase(String name, String title, Load load, List<String> contenders) implements Case {

	@Override
	public String obstacle() {
		return (this.load.virtual() && !WorkerThreads.hasVirtual()) ? "virtual threads need JDK 21" : "";
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
	 * Who asks for which locks.
	 *
	 * @param processes how many processes
	 * @param threads how many threads in each
	 * @param virtual whether these are virtual
	 * @param shared whether all want one lock, or each its own
	 * @param slow whether over the slow network
	 */
	record Load(int processes, int threads, boolean virtual, boolean shared, boolean slow) {

		static Load shared(int processes, int threads) {
			return new Load(processes, threads, false, true, false);
		}

		static Load own(int threads) {
			return new Load(1, threads, false, false, false);
		}

		Load onVirtualThreads() {
			return new Load(this.processes, this.threads, true, this.shared, this.slow);
		}

		Load overSlowNetwork() {
			return new Load(this.processes, this.threads, this.virtual, this.shared, true);
		}

	}

}
