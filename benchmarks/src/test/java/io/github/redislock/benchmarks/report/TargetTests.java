package io.github.redislock.benchmarks.report;

import java.util.Map;
import java.util.OptionalDouble;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class TargetTests {

	private final Results results = new Results(Map.of());

	@Test
	void boundIsComputedFromTheSameRun() {
		this.results.add("free", "raw", Map.of("p50", 100.0));

		OptionalDouble bound = Target.atMostTimes(1.1, "raw", "limit").bound(this.results, "free", "p50");

		assertThat(bound.orElseThrow()).isCloseTo(110, within(0.001));
	}

	@Test
	void lowerIsBetterForTimes() {
		Target target = Target.atMost(40, "ms");

		assertThat(missedBy(target, 40)).isEqualTo("–");
		assertThat(missedBy(target, 50)).isEqualTo("25 %");
		assertThat(missedBy(target, 160)).isEqualTo("4-fold");
		assertThat(missedBy(target, Metrics.NEVER)).isEqualTo("never reached");
		assertThat(missedBy(Target.atMost(0, ""), 0)).isEqualTo("–");
		assertThat(missedBy(Target.atMost(0, ""), 1)).isEqualTo("more than nothing");
	}

	@Test
	void higherIsBetterForRates() {
		this.results.add("hot", "redisson", Map.of("rate", 1_000.0));
		Target target = Target.atLeastTimes(12, "redisson", "Redisson");
		OptionalDouble bound = target.bound(this.results, "hot", "rate");

		assertThat(target.missedBy(OptionalDouble.of(20_000), bound)).isEqualTo("–");
		assertThat(target.missedBy(OptionalDouble.of(10_000), bound)).isEqualTo("20 %");
	}

	@Test
	void missingMeasurementIsReported() {
		Target target = Target.atMostTimes(1.1, "raw", "limit");

		assertThat(target.missedBy(OptionalDouble.of(1), target.bound(this.results, "free", "p50")))
			.isEqualTo("not measured");
		assertThat(missedBy(Target.none(Target.Better.LOWER), 7)).isEqualTo("–");
	}

	private String missedBy(Target target, double value) {
		return target.missedBy(OptionalDouble.of(value), target.bound(this.results, "any", "any"));
	}

}
