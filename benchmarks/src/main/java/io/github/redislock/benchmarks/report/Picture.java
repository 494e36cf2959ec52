package io.github.redislock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;

/**
 * A chart in the benchmark report.
 *
 * @param file the name of the file
 * @param title the title, with the unit of the bars
 * @param caseName the benchmark case to show
 * @param metric the metric that the bars show
 */
record Picture(String file, String title, String caseName, String metric) {

	static final List<Picture> ALL = List.of(
			new Picture("free-lock.svg", "A free lock on one core: lock and unlock, p50, µs (less is better)",
					Metrics.FREE, Metrics.PAIR_P50 + Metrics.ONE_CORE),
			new Picture("hot-lock-one-jvm.svg",
					"One key, 64 threads of one JVM: acquisitions per second (more is better)", "hot-jvm",
					Metrics.RATE),
			new Picture("hot-lock-four-jvms.svg",
					"One key, 4 JVMs × 4 threads: acquisitions per second (more is better)", "hot-4x4", Metrics.RATE));

	/**
	 * Return a bar for each contender that was measured.
	 */
	BarChart of(Results results) {
		List<BarChart.Bar> bars = new ArrayList<>();
		for (Contender contender : Contenders.all()) {
			OptionalDouble value = results.median(this.caseName, contender.name(), this.metric);
			if (value.isPresent()) {
				bars.add(new BarChart.Bar(contender.title(), value.getAsDouble(), kind(contender.name())));
			}
		}
		return new BarChart(this.title, bars);
	}

	private static BarChart.Kind kind(String contender) {
		if (contender.startsWith(Contenders.OURS)) {
			return BarChart.Kind.OURS;
		}
		return Contenders.isLimit(contender) ? BarChart.Kind.LIMIT : BarChart.Kind.PEER;
	}

}
