package io.github.redislock.campaign.failover;

import java.util.List;
import java.util.stream.LongStream;

import io.github.redislock.campaign.failover.Statistics.Interval;
import io.github.redislock.campaign.failover.Statistics.Span;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class StatisticsTests {

	@Test
	void intervalIsWilsons() {
		Interval tenOfHundred = Statistics.interval(10, 100);

		assertThat(tenOfHundred.low()).isCloseTo(0.0552, within(0.0001));
		assertThat(tenOfHundred.high()).isCloseTo(0.1744, within(0.0001));
	}

	@Test
	void intervalOfNoHitsBeginsAtZero() {
		Interval none = Statistics.interval(0, 10);

		assertThat(none.low()).isZero();
		assertThat(none.high()).isCloseTo(0.2775, within(0.0001));
	}

	@Test
	void intervalOfHitsOnlyEndsAtOne() {
		Interval all = Statistics.interval(10, 10);

		assertThat(all.low()).isCloseTo(0.7225, within(0.0001));
		assertThat(all.high()).isCloseTo(1, within(0.0001));
	}

	@Test
	void percentileIsTheNearestRank() {
		List<Long> hundred = LongStream.rangeClosed(1, 100).boxed().toList();

		assertThat(Statistics.percentile(hundred, 0.99)).isEqualTo(99);
		assertThat(Statistics.percentile(hundred, 0.5)).isEqualTo(50);
		assertThat(Statistics.percentile(List.of(3L, 1L, 2L), 0.5)).isEqualTo(2);
		assertThat(Statistics.percentile(List.of(7L), 0)).isEqualTo(7);
	}

	@Test
	void overlapIsTheTimeWithTwoHolders() {
		assertThat(Statistics.overlap(List.of(new Span(0, 10), new Span(7, 20)))).isEqualTo(3);
	}

	@Test
	void holdersThatFollowEachOtherDoNotOverlap() {
		assertThat(Statistics.overlap(List.of(new Span(10, 20), new Span(0, 10)))).isZero();
	}

	@Test
	void thirdHolderIsNotCountedTwice() {
		assertThat(Statistics.overlap(List.of(new Span(0, 10), new Span(2, 8), new Span(4, 12)))).isEqualTo(8);
	}

	@Test
	void separateOverlapsAreAddedUp() {
		assertThat(Statistics.overlap(List.of(new Span(0, 100), new Span(10, 20), new Span(50, 55)))).isEqualTo(15);
	}

	@Test
	void holdOutsideOfTheWindowDoesNotCount() {
		Span window = new Span(50, 60);
		List<Span> spans = List.of(new Span(0, 40), new Span(30, 55), new Span(52, 70));

		assertThat(Statistics.overlap(spans.stream().map((span) -> span.within(window)).toList())).isEqualTo(3);
	}

}
