package io.github.redislock.benchmarks.runner;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.jmh.AdviceBenchmark;
import io.github.redislock.benchmarks.jmh.MemoryBenchmark;
import io.github.redislock.benchmarks.report.Metrics;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A case that JMH runs.
 *
 * @param name the name
 * @param title the title
 * @param benchmarks the classes with benchmarks
 * @param contenders the contenders
 */
record JmhCase(String name, String title, List<Class<?>> benchmarks, List<String> contenders) implements Case {

	/** The cost of the template and the annotation, without Redis. */
	static final JmhCase MEMORY = new JmhCase("jmh-memory", "Template and annotation, store in memory",
			List.of(MemoryBenchmark.class, AdviceBenchmark.class), List.of(Contenders.OURS));

	@Override
	public int rounds(Pace pace) {
		return 1;
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new JmhRun(bench.pace(), this.benchmarks);
	}

	private record JmhRun(Pace pace, List<Class<?>> benchmarks) implements Run {

		@Override
		public Map<String, Double> round() throws Exception {
			Map<String, Double> values = new LinkedHashMap<>();
			Collection<RunResult> results = new Runner(options().build()).run();
			for (RunResult result : results) {
				String name = result.getParams().getBenchmark();
				add(values, name.substring(name.lastIndexOf('.') + 1), result);
			}
			return values;
		}

		private ChainedOptionsBuilder options() {
			int iterations = this.pace.is(Pace.SMOKE) ? 1 : 3;
			ChainedOptionsBuilder options = new OptionsBuilder().forks(forks())
				.warmupIterations(iterations)
				.measurementIterations(iterations)
				.warmupTime(iteration())
				.measurementTime(iteration())
				.threads(1)
				.addProfiler(GCProfiler.class)
				.verbosity(VerboseMode.SILENT)
				.jvmArgsAppend("-XX:+UseSerialGC");
			this.benchmarks.forEach((type) -> options.include(type.getName()));
			return options;
		}

		/**
		 * Return the number of processes. The smoke run uses no separate process. Its
		 * numbers are meaningless, but it shows that the benchmark works.
		 */
		private int forks() {
			if (this.pace.is(Pace.SMOKE)) {
				return 0;
			}
			return this.pace.is(Pace.FULL) ? 2 : 1;
		}

		/**
		 * Return the length of an iteration. Because there are several iterations, each
		 * takes only half as long as a window of other cases, and at most a second.
		 */
		private TimeValue iteration() {
			return TimeValue.milliseconds(Math.min(1_000, this.pace.window().toMillis() / 2));
		}

		private static void add(Map<String, Double> values, String benchmark, RunResult result) {
			values.put(benchmark + Metrics.NANOS, result.getPrimaryResult().getScore());
			result.getSecondaryResults().forEach((label, secondary) -> {
				if (label.endsWith("gc.alloc.rate.norm")) {
					values.put(benchmark + Metrics.ALLOCATED, secondary.getScore());
				}
			});
		}

		@Override
		public void close() {
		}

	}

}
