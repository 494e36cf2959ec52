package io.github.redislock.internal.support;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LeaseTests {

	@ParameterizedTest
	@CsvSource({ "PT0.01S, PT0.0079S", "PT1S, PT0.988S", "PT30S, PT29.698S", "PT10M, PT9M53.998S" })
	void validityIsTheLeaseLessOnePercentAndTwoMilliseconds(Duration lease, Duration validity) {
		assertThat(LeaseLength.validity(lease)).isEqualTo(validity);
	}

	@ParameterizedTest
	@CsvSource({ "PT0.01S, PT0.1S", "PT2S, PT0.1S", "PT30S, PT1.5S", "PT10M, PT30S" })
	void graceIsFivePercentAndAtLeastAHundredMilliseconds(Duration lease, Duration grace) {
		assertThat(LeaseLength.defaultGrace(lease)).isEqualTo(grace);
	}

	@Test
	void leaseIsBetweenTenMillisecondsAndTenYears() {
		assertThat(LeaseLength.of(Duration.ofMillis(10)).toString()).isEqualTo("10ms");
		assertThat(LeaseLength.of(Duration.ofDays(3_650)).toString()).isEqualTo("3650d");
		assertThat(LeaseLength.ENDLESS.toString()).isEqualTo("forever");
		assertThatIllegalArgumentException().isThrownBy(() -> LeaseLength.of(Duration.ofMillis(9)))
			.withMessage("timeout must be at least 10ms but is 9ms");
		assertThatIllegalArgumentException().isThrownBy(() -> LeaseLength.of(ChronoUnit.FOREVER.getDuration()))
			.withMessage("timeout must be at most 3650d but is forever; use neverExpires() for a lock without expiry");
	}

}
