package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandOversTests {

	private final HandOvers handOvers = new HandOvers(Duration.ofMillis(1_500), (name) -> {
	});

	@Test
	void stepOfTheClockThatTheGraceHardlyCoversIsWarnedOf() {
		try (LogRecorder log = LogRecorder.warningsOf(HandOvers.class.getName())) {
			this.handOvers.clockStepped(Duration.ofMillis(800));
			this.handOvers.clockStepped(Duration.ofMillis(-2_000));

			assertThat(log.text())
				.contains(
						"The clock of the store has stepped by 800ms between two renewals. Leases end so much earlier")
				.contains("has stepped by -2s between two renewals. Locks whose holder has died stay closed")
				.contains("the grace of 1.5s");
		}
	}

	@Test
	void smallStepIsNobodysConcern() {
		try (LogRecorder log = LogRecorder.warningsOf(HandOvers.class.getName())) {
			this.handOvers.clockStepped(Duration.ofMillis(750));
			this.handOvers.clockStepped(Duration.ofMillis(-750));

			assertThat(log.text()).isEmpty();
		}
	}

}
