package io.github.redislock.benchmarks.stats;

import java.util.Collection;

/**
 * The median of several rounds, which a single disturbed round hardly changes.
 */
public final class Median {

	private Median() {
	}

	/**
	 * Return the median.
	 * @param values at least one value, in any order
	 * @return the middle value, or the mean of the two middle values
	 */
	public static double of(Collection<Double> values) {
		if (values.isEmpty()) {
			throw new IllegalArgumentException("no values");
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

}
