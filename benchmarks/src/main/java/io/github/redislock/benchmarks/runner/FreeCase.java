package io.github.redislock.benchmarks.runner;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.report.Metrics;

/**
 * One thread acquires and releases locks that no other thread wants. Contenders alternate
 * in short rounds, and each is measured in several processes, because processes with the
 * same code differ.
 *
 * @param name the name, which is {@link Metrics#FREE}, and for another server than the
 * usual one {@link Metrics#FREE_ON} and the server
 */
record FreeCase(String name) implements Case {

	private static final List<String> CONTENDERS = List.of(Contenders.RAW, Contenders.RAW_JEDIS, Contenders.REDISSON,
			Contenders.SPRING_SPIN, Contenders.OURS, Contenders.OURS_ACQUIRE, Contenders.OURS_JEDIS,
			Contenders.OURS_JEDIS_ACQUIRE);

	@Override
	public String title() {
		return "A free lock, 1 thread, on all cores and on one";
	}

	@Override
	public List<String> contenders() {
		return CONTENDERS;
	}

	@Override
	public int jvms(Pace pace) {
		return pace.jvms();
	}

	@Override
	public Run prepare(Bench bench, Contender contender) throws InterruptedException {
		LoopRun loop = LoopRun.warm(bench, contender, LoopCase.Load.own(1), bench.pace().inShortRounds());
		return new FreeRun(loop, loop.count(), OneCore.isPossible(bench.server()));
	}

	/**
	 * Measures on all cores and then on one core.
	 *
	 * @param loop the contender
	 * @param counted its requests, which are the same in each round
	 * @param oneCore whether processes can be kept on one core
	 */
	private record FreeRun(LoopRun loop, LoopResult counted, boolean oneCore) implements Run {

		@Override
		public Map<String, Double> round() throws InterruptedException {
			Map<String, Double> values = measure();
			this.counted.addTrafficTo(values);
			values.put(Metrics.JVM, (double) this.loop.number());
			if (this.oneCore) {
				OneCore core = OneCore.of(this.loop.processes());
				try {
					measure().forEach((metric, value) -> values.put(metric + Metrics.ONE_CORE, value));
				}
				finally {
					core.leave();
				}
			}
			return values;
		}

		@Override
		public void close() throws InterruptedException {
			this.loop.close();
		}

		/**
		 * Measure one window, and again if not even one pair began and ended in it. So
		 * each round has a value, and rounds of different contenders can be compared.
		 */
		private Map<String, Double> measure() throws InterruptedException {
			Map<String, Double> values = new LinkedHashMap<>();
			while (!values.containsKey(Metrics.PAIR_P50)) {
				LoopResult measured = this.loop.measure();
				measured.addTimesTo(values);
				measured.addServerTo(values);
			}
			return values;
		}

	}

}
