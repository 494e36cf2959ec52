package io.github.redislock.campaign.failover;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The arithmetic of the tables.
 */
final class Statistics {

	/** The quantile of the normal distribution for an interval of 95 %. */
	private static final double Z = 1.959964;

	private Statistics() {
	}

	/**
	 * Return the 95 % interval of a rate, after Wilson.
	 * @param hits how often it happened
	 * @param trials how often it could have happened, at least once
	 */
	static Interval interval(int hits, int trials) {
		double rate = (double) hits / trials;
		double square = Z * Z / trials;
		double center = (rate + square / 2) / (1 + square);
		double margin = Z / (1 + square) * Math.sqrt(rate * (1 - rate) / trials + square / (4 * trials));
		return new Interval(Math.max(0, center - margin), Math.min(1, center + margin));
	}

	/**
	 * Return the smallest value that is not exceeded by a share of all values.
	 * @param values at least one value
	 * @param share for example 0.99
	 */
	static long percentile(List<Long> values, double share) {
		List<Long> sorted = values.stream().sorted().toList();
		int rank = (int) Math.ceil(share * sorted.size());
		return sorted.get(Math.max(rank, 1) - 1);
	}

	/**
	 * Return for how long at least two of the spans were open.
	 */
	static long overlap(List<Span> spans) {
		List<Edge> edges = spans.stream()
			.filter((span) -> span.until() > span.from())
			.flatMap((span) -> Stream.of(new Edge(span.from(), 1), new Edge(span.until(), -1)))
			// Where one ends as another one begins, the end comes first.
			.sorted(Comparator.comparingLong(Edge::at).thenComparing(Edge::change))
			.toList();
		long sum = 0;
		long since = 0;
		int open = 0;
		for (Edge edge : edges) {
			if (open >= 2) {
				sum += edge.at() - since;
			}
			open += edge.change();
			since = edge.at();
		}
		return sum;
	}

	/**
	 * A time during which a holder believed that it had the lock.
	 */
	record Span(long from, long until) {

		Span within(Span window) {
			return new Span(Math.max(this.from, window.from), Math.min(this.until, window.until));
		}

	}

	record Interval(double low, double high) {
	}

	private record Edge(long at, int change) {
	}

}
