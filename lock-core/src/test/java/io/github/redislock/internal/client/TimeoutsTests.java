package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimeoutsTests {

	@Test
	void replyFailsIfItDoesNotArriveInTime() {
		ScheduledExecutorService thread = Timeouts.thread();

		assertThat(new Timeouts(thread).within(new CompletableFuture<>(), Duration.ofMillis(1)))
			.failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(TimeoutException.class);

		thread.shutdownNow();
	}

}
