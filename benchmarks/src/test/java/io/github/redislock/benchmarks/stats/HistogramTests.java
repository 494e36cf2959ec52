package io.github.redislock.benchmarks.stats;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class HistogramTests {

	@Test
	void percentilesAreWithinHalfAPercent() {
		Histogram histogram = new Histogram();
		for (long nanos = 1; nanos <= 1_000_000; nanos++) {
			histogram.add(nanos);
		}

		assertThat(histogram.percentile(0.5)).isCloseTo(500_000, within(2_500.0));
		assertThat(histogram.percentile(0.99)).isCloseTo(990_000, within(4_950.0));
		assertThat(histogram.percentile(1)).isCloseTo(1_000_000, within(5_000.0));
		assertThat(histogram.max()).isEqualTo(1_000_000);
	}

	@Test
	void smallValuesAreExact() {
		Histogram histogram = new Histogram();
		histogram.add(0);
		histogram.add(7);
		histogram.add(511);

		assertThat(histogram.percentile(0.1)).isZero();
		assertThat(histogram.percentile(0.5)).isEqualTo(7);
		assertThat(histogram.percentile(1)).isEqualTo(511);
	}

	@Test
	void everyLongFallsIntoABucketCloseToItsValue() {
		for (int shift = 0; shift < 63; shift++) {
			Histogram histogram = new Histogram();
			long nanos = 1L << shift;
			histogram.add(nanos);

			assertThat(histogram.percentile(1)).isBetween(nanos * 0.995, nanos * 1.005);
		}
		Histogram histogram = new Histogram();
		histogram.add(Long.MAX_VALUE);
		assertThat(histogram.percentile(1)).isGreaterThan(9e18);
	}

	@Test
	void percentileOfAnEmptyHistogramIsNaN() {
		assertThat(new Histogram().percentile(0.5)).isNaN();
	}

	@Test
	void mergedHistogramHasAllValues() {
		Histogram one = new Histogram();
		one.add(10);
		Histogram other = new Histogram();
		other.add(30);
		other.add(30);

		one.addAll(other);

		assertThat(one.count()).isEqualTo(3);
		assertThat(one.percentile(0.5)).isEqualTo(30);
		assertThat(one.max()).isEqualTo(30);
	}

	@Test
	void histogramSurvivesSerializationToAnotherProcess() {
		Histogram histogram = new Histogram();
		histogram.add(5);
		histogram.add(123_456_789);

		Histogram copy = Histogram.decode(histogram.encode());

		assertThat(copy.encode()).isEqualTo(histogram.encode()).doesNotContain(" ");
		assertThat(copy.count()).isEqualTo(2);
		assertThat(Histogram.decode(new Histogram().encode()).count()).isZero();
	}

}
