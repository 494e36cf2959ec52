package io.github.redislock.benchmarks.report;

import java.util.OptionalDouble;

import org.jspecify.annotations.Nullable;

/**
 * The target for a value of this project: a fixed bound, or a bound relative to another
 * contender in the same run.
 *
 * @param better whether lower or higher values are better
 * @param factor the bound, or the factor by which the reference is multiplied
 * @param reference the contender whose value sets the bound, or {@code null} for a fixed
 * bound
 * @param text the target in words
 */
record Target(Better better, double factor, @Nullable String reference, String text) {

	/**
	 * The target counts as reached up to this ratio of the value to its bound, because
	 * small differences are noise.
	 */
	private static final double TOLERANCE = 1.01;

	/** Stands for a target that is reached, or for no target. */
	static final String MET = "–";

	static Target atMost(double bound, String unit) {
		return new Target(Better.LOWER, bound, null, ("≤ " + Figure.plain(bound) + " " + unit).strip());
	}

	static Target atMostTimes(double factor, String reference, String referenceTitle) {
		return new Target(Better.LOWER, factor, reference, "≤ " + Figure.plain(factor) + " × " + referenceTitle);
	}

	static Target atLeastTimes(double factor, String reference, String referenceTitle) {
		return new Target(Better.HIGHER, factor, reference, "≥ " + Figure.plain(factor) + " × " + referenceTitle);
	}

	/**
	 * Return a placeholder for a value without a target.
	 */
	static Target none(Better better) {
		return new Target(better, Double.NaN, null, "–");
	}

	/**
	 * Return the factor with its direction, for example {@code ≤ 1.1}.
	 */
	String bound() {
		return ((this.better == Better.LOWER) ? "≤ " : "≥ ") + Figure.plain(this.factor);
	}

	/**
	 * Return by how much a contender misses the target.
	 */
	String missedBy(Results results, String caseName, String contender, String metric) {
		if (Double.isNaN(this.factor)) {
			return MET;
		}
		OptionalDouble value = results.median(caseName, contender, metric);
		OptionalDouble compared = (this.reference != null) ? results.ratio(caseName, contender, this.reference, metric)
				: value;
		if (value.isEmpty() || compared.isEmpty()) {
			return "not measured";
		}
		if (compared.getAsDouble() == this.factor) {
			return MET;
		}
		double excess = (this.better == Better.LOWER) ? compared.getAsDouble() / this.factor
				: this.factor / compared.getAsDouble();
		if (excess <= TOLERANCE) {
			return MET;
		}
		if (value.getAsDouble() == Metrics.NEVER) {
			return "never reached";
		}
		if (Double.isInfinite(excess) || Double.isNaN(excess)) {
			return (this.better == Better.LOWER) ? "more than nothing" : "nothing happened";
		}
		return (excess >= 2) ? Figure.plain(excess) + "-fold" : Figure.plain(100 * (excess - 1)) + " %";
	}

	/**
	 * Whether lower or higher values are better.
	 */
	enum Better {

		/** Less is better. */
		LOWER,

		/** More is better. */
		HIGHER;

		boolean is(double value, double than) {
			return (this == LOWER) ? value < than : value > than;
		}

	}

}
