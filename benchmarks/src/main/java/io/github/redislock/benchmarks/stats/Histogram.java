package io.github.redislock.benchmarks.stats;

import java.util.Arrays;
import java.util.StringJoiner;

/**
 * Counts durations with an error of less than half a percent. Not thread-safe.
 */
public final class Histogram {

	private static final int EXACT_BITS = 9;

	/** The limit below which each value has its own bucket. */
	private static final int EXACT = 1 << EXACT_BITS;

	/** The number of buckets for each power of two above that limit. */
	private static final int STEPS = EXACT / 2;

	private final long[] buckets = new long[EXACT + (Long.SIZE - EXACT_BITS) * STEPS];

	private long count;

	private long max;

	/**
	 * Count a duration, which must not be negative.
	 */
	public void add(long nanos) {
		this.buckets[index(nanos)]++;
		this.count++;
		this.max = Math.max(this.max, nanos);
	}

	public void addAll(Histogram other) {
		for (int index = 0; index < this.buckets.length; index++) {
			this.buckets[index] += other.buckets[index];
		}
		this.count += other.count;
		this.max = Math.max(this.max, other.max);
	}

	public long count() {
		return this.count;
	}

	/**
	 * Return the longest duration, in nanoseconds. It is exact.
	 */
	public long max() {
		return this.max;
	}

	/**
	 * Return the duration that a given share of all durations does not exceed.
	 * @param share between 0 and 1
	 * @return the duration in nanoseconds, or NaN if nothing was counted
	 */
	public double percentile(double share) {
		if (this.count == 0) {
			return Double.NaN;
		}
		long rank = Math.max(1, (long) Math.ceil(share * this.count));
		long seen = 0;
		int index = -1;
		while (seen < rank) {
			index++;
			seen += this.buckets[index];
		}
		return Math.min(this.max, middle(index));
	}

	/**
	 * Return the counts as text without spaces.
	 */
	public String encode() {
		StringJoiner text = new StringJoiner(",");
		text.add(Long.toString(this.max));
		for (int index = 0; index < this.buckets.length; index++) {
			if (this.buckets[index] > 0) {
				text.add(index + ":" + this.buckets[index]);
			}
		}
		return text.toString();
	}

	public static Histogram decode(String text) {
		Histogram histogram = new Histogram();
		String[] parts = text.split(",");
		histogram.max = Long.parseLong(parts[0]);
		Arrays.stream(parts).skip(1).map((part) -> part.split(":")).forEach((pair) -> {
			long number = Long.parseLong(pair[1]);
			histogram.buckets[Integer.parseInt(pair[0])] += number;
			histogram.count += number;
		});
		return histogram;
	}

	private static int index(long nanos) {
		if (nanos < EXACT) {
			return (int) Math.max(0, nanos);
		}
		int shift = Long.SIZE - Long.numberOfLeadingZeros(nanos) - EXACT_BITS;
		return EXACT + (shift - 1) * STEPS + (int) (nanos >>> shift) - STEPS;
	}

	private static double middle(int index) {
		if (index < EXACT) {
			return index;
		}
		int shift = (index - EXACT) / STEPS + 1;
		long lowest = (long) ((index - EXACT) % STEPS + STEPS) << shift;
		return lowest + (1L << shift) / 2.0;
	}

}
