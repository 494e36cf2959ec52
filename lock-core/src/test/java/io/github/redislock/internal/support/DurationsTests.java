package io.github.redislock.internal.support;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DurationsTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, 0ms", "PT0.0009S, 0ms", "PT0.34S, 340ms", "PT0.999S, 999ms", "PT1S, 1s", "PT1.05S, 1s",
			"PT12.4S, 12.4s", "PT12.49S, 12.4s", "PT59.99S, 59.9s", "PT1M, 1m", "PT5M30S, 5m 30s", "PT59M59S, 59m 59s",
			"PT1H, 1h", "PT1H30M, 1h 30m", "PT23H59M59S, 23h 59m", "P1D, 1d", "P1DT1H, 1d 1h", "P3650D, 3650d",
			"PT-1S, -1s", "PT-0.34S, -340ms", "P40000D, 40000d", "P-40000D, -40000d" })
	void durationIsFormattedForHumans(Duration duration, String text) {
		assertThat(Durations.describe(duration)).isEqualTo(text);
	}

	@Test
	void extremeDurationsAreFormatted() {
		assertThat(Durations.describe(ChronoUnit.FOREVER.getDuration())).isEqualTo("forever");
		assertThat(Durations.describe(Duration.ofMillis(Long.MAX_VALUE))).isEqualTo("forever");
		assertThat(Durations.describe(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo("106751d 23h");
		assertThat(Durations.describe(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-forever");
	}

	@Test
	void nanosecondsOfForeverDoNotOverflow() {
		assertThat(Durations.nanos(Duration.ofSeconds(2))).isEqualTo(2_000_000_000L);
		assertThat(Durations.nanos(ChronoUnit.FOREVER.getDuration())).isPositive().isLessThan(Long.MAX_VALUE / 2);
	}

	@Test
	void violatedLimitIsNamed() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Durations.requireAtLeast("lease", Duration.ofSeconds(-1), Duration.ofMillis(10)))
			.withMessage("lease must be at least 10ms but is -1s");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Durations.requireAtLeast("waitTime", Duration.ofSeconds(-1), Duration.ZERO))
			.withMessage("waitTime must not be negative but is -1s");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Durations.requireAtMost("grace", Duration.ofDays(2), Duration.ofDays(1)))
			.withMessage("grace must be at most 1d but is 2d");
		Durations.requireAtLeast("grace", Duration.ZERO, Duration.ZERO);
		Durations.requireAtMost("grace", Duration.ZERO, Duration.ZERO);
	}

}
