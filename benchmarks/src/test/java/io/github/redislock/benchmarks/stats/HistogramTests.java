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
