package io.github.redislock.benchmarks.stats;

import java.util.Collection;

/**
 * The middle of several rounds, which one disturbed round hardly changes.
 */
public final class Median {

	private Median() {
	}

	/**
	 * Return the median.
	 * @param values at least one; in any order
	 * @return the middle one, or the mean of the two in the middle
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
