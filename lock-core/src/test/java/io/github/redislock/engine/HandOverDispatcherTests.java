package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandOverDispatcherTests {

	private final HandOverDispatcher dispatcher = new HandOverDispatcher(Duration.ofMillis(1_500), (name) -> {
	}, () -> {
	});

	@Test
	void clockStepOfMoreThanHalfTheGraceCausesAWarning() {
		try (LogRecorder log = LogRecorder.warningsOf(HandOverDispatcher.class.getName())) {
			this.dispatcher.clockStepped(Duration.ofMillis(800));
			this.dispatcher.clockStepped(Duration.ofMillis(-2_000));

			assertThat(log.text())
				.contains("The clock of the store jumped by 800ms between two renewals. Locks expire that much earlier")
				.contains("jumped by -2s between two renewals. Locks of dead holders stay held")
				.contains("a grace of 1.5s");
		}
	}

	@Test
	void clockStepOfHalfTheGraceCausesNoWarning() {
		try (LogRecorder log = LogRecorder.warningsOf(HandOverDispatcher.class.getName())) {
			this.dispatcher.clockStepped(Duration.ofMillis(750));
			this.dispatcher.clockStepped(Duration.ofMillis(-750));

			assertThat(log.text()).isEmpty();
		}
	}

}
