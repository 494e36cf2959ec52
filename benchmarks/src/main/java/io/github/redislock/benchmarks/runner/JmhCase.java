package io.github.redislock.benchmarks.runner;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.jmh.AdviceBenchmark;
import io.github.redislock.benchmarks.jmh.FreeLockBenchmark;
import io.github.redislock.benchmarks.jmh.MemoryBenchmark;
import io.github.redislock.benchmarks.report.Metrics;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
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

	/** A free lock, measured once more with JMH. */
	static final JmhCase FREE = new JmhCase("jmh-free", "A free lock, 1 thread, by JMH",
			List.of(FreeLockBenchmark.class), List.of(Contenders.RAW, Contenders.OURS, Contenders.OURS_ACQUIRE,
					Contenders.REDISSON, Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB));

	@Override
	public int rounds(Pace pace) {
		return 1;
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new JmhRun(bench, contender, this.benchmarks);
	}

	private record JmhRun(Bench bench, Contender contender, List<Class<?>> benchmarks) implements Run {

		@Override
		public Map<String, Double> round() throws Exception {
			System.setProperty(FreeLockBenchmark.HOST, this.bench.server().host());
			System.setProperty(FreeLockBenchmark.PORT, Integer.toString(this.bench.server().port()));
			Map<String, Double> values = new LinkedHashMap<>();
			Collection<RunResult> results = new Runner(options().build()).run();
			for (RunResult result : results) {
				String name = result.getParams().getBenchmark();
				add(values, name.substring(name.lastIndexOf('.') + 1), result);
			}
			return values;
		}

		private ChainedOptionsBuilder options() {
			Pace pace = this.bench.pace();
			ChainedOptionsBuilder options = new OptionsBuilder().forks(forks(pace))
				.warmupIterations(pace.is(Pace.SMOKE) ? 1 : 3)
				.measurementIterations(pace.is(Pace.SMOKE) ? 1 : 3)
				.warmupTime(iteration())
				.measurementTime(iteration())
				.threads(1)
				.addProfiler(GCProfiler.class)
				.verbosity(VerboseMode.SILENT)
				.jvmArgsAppend("-D" + FreeLockBenchmark.HOST + "=" + this.bench.server().host(),
						"-D" + FreeLockBenchmark.PORT + "=" + this.bench.server().port(), "-XX:+UseSerialGC");
			this.benchmarks.forEach((type) -> options.include(type.getName()));
			if (this.benchmarks.contains(FreeLockBenchmark.class)) {
				options.param("contender", this.contender.name());
			}
			return options;
		}

		/**
		 * Return the number of processes. The smoke run uses no separate process. Its
		 * numbers are meaningless, but it shows that the benchmark works.
		 */
		private static int forks(Pace pace) {
			if (pace.is(Pace.SMOKE)) {
				return 0;
			}
			return pace.is(Pace.FULL) ? 2 : 1;
		}

		/**
		 * Return the length of an iteration. Because there are several iterations, each
		 * takes only half as long as a window of other cases, and at most a second.
		 */
		private TimeValue iteration() {
			return TimeValue.milliseconds(Math.min(1_000, this.bench.pace().window().toMillis() / 2));
		}

		private static void add(Map<String, Double> values, String benchmark, RunResult result) {
			Result<?> primary = result.getPrimaryResult();
			if (primary.getScoreUnit().startsWith("us")) {
				values.put(Metrics.PAIR_P50, primary.getStatistics().getPercentile(50));
				values.put(Metrics.PAIR_P99, primary.getStatistics().getPercentile(99));
			}
			else {
				values.put(benchmark + Metrics.NANOS, primary.getScore());
			}
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
