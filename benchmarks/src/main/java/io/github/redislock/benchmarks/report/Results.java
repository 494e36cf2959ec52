package io.github.redislock.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

import io.github.redislock.benchmarks.stats.Median;

/**
 * The measured values, and a description of the machine.
 */
public final class Results {

	private final Map<String, String> machine;

	private final List<Series> series;

	public Results(Map<String, String> machine) {
		this(machine, List.of());
	}

	Results(Map<String, String> machine, List<Series> series) {
		this.machine = new LinkedHashMap<>(machine);
		this.series = new ArrayList<>(series);
	}

	public void add(String caseName, String contender, Map<String, Double> values) {
		values.forEach((metric, value) -> series(caseName, contender, metric).values().add(value));
	}

	/**
	 * Return the median of all rounds, or empty if there are no values.
	 */
	public OptionalDouble median(String caseName, String contender, String metric) {
		List<Double> values = values(caseName, contender, metric);
		return values.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Median.of(values));
	}

	/**
	 * Return the ratio of two contenders' values: the median of the ratios in the same
	 * round, and if there are several processes of the contender, the median of their
	 * ratios.
	 */
	OptionalDouble ratio(String caseName, String contender, String reference, String metric) {
		List<Double> ratios = ratios(caseName, contender, reference, metric);
		return ratios.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Median.of(ratios));
	}

	/**
	 * Return the ratio of two contenders' values for each process of the contender.
	 */
	List<Double> ratios(String caseName, String contender, String reference, String metric) {
		List<Double> values = values(caseName, contender, metric);
		List<Double> others = values(caseName, reference, metric);
		if (values.isEmpty() || others.isEmpty()) {
			return List.of();
		}
		if (values.size() != others.size()) {
			return List.of(Median.of(values) / Median.of(others));
		}
		List<Double> jvms = values(caseName, contender, Metrics.JVM);
		Map<Double, List<Double>> byJvm = new LinkedHashMap<>();
		for (int round = 0; round < values.size(); round++) {
			byJvm.computeIfAbsent(jvms.isEmpty() ? 0 : jvms.get(round), (missing) -> new ArrayList<>())
				.add(values.get(round) / others.get(round));
		}
		return byJvm.values().stream().map(Median::of).toList();
	}

	/**
	 * Return the values of all rounds, or an empty list.
	 */
	List<Double> values(String caseName, String contender, String metric) {
		return this.series.stream()
			.filter((one) -> one.isOf(caseName, contender, metric))
			.map(Series::values)
			.findFirst()
			.orElse(List.of());
	}

	/**
	 * Return the machine, versions, date and command, by name.
	 */
	public Map<String, String> machine() {
		return this.machine;
	}

	public List<Series> series() {
		return List.copyOf(this.series);
	}

	private Series series(String caseName, String contender, String metric) {
		return this.series.stream().filter((one) -> one.isOf(caseName, contender, metric)).findFirst().orElseGet(() -> {
			Series added = new Series(caseName, contender, metric, new ArrayList<>());
			this.series.add(added);
			return added;
		});
	}

	/**
	 * A value for each round.
	 *
	 * @param caseName the case
	 * @param contender the contender
	 * @param metric the metric
	 * @param values the values, in the order of the rounds
	 */
	public record Series(String caseName, String contender, String metric, List<Double> values) {

		boolean isOf(String wantedCase, String wantedContender, String wantedMetric) {
			return this.caseName.equals(wantedCase) && this.contender.equals(wantedContender)
					&& this.metric.equals(wantedMetric);
		}

	}

}
