package io.github.redislock.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServerClockTests {

	private static final long START = Duration.ofDays(20_000).toMillis();

	private final ServerClock clock = new ServerClock();

	@Test
	void firstReplyIsNotAClockStep() {
		assertThat(observe(START, 0, 1)).isZero();
	}

	@Test
	void clockRunningAtOurRateIsNotAClockStep() {
		observe(START, 0, 1);

		assertThat(observe(START + 10_000, 10_000, 10_001)).isZero();
		assertThat(observe(START + 20_000, 20_000, 20_001)).isZero();
	}

	@Test
	void clockStepIsEstimatedByItsLowerBound() {
		observe(START, 0, 0);

		assertThat(observe(START + 15_000, 10_000, 10_000)).isBetween(Duration.ofMillis(4_990),
				Duration.ofMillis(5_000));
		assertThat(observe(START + 10_000, 15_000, 15_000)).isBetween(Duration.ofMillis(-10_000),
				Duration.ofMillis(-9_990));
	}

	@Test
	void slowReplyIsNotAClockStep() {
		observe(START, 0, 1);

		assertThat(observe(START + 15_000, 10_000, 15_000)).isZero();
		assertThat(observe(START + 20_000, 20_000, 25_000)).isZero();
	}

	@Test
	void gradualClockCorrectionIsNotAClockStep() {
		observe(START, 0, 0);

		assertThat(observe(START + 3_601_000, 3_600_000, 3_600_000)).isZero();
	}

	private Duration observe(long server, long askedAt, long repliedAt) {
		return this.clock.observe(server, Duration.ofMillis(askedAt).toNanos(), Duration.ofMillis(repliedAt).toNanos());
	}

}
