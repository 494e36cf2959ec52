package io.github.redislock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class ClosingTests {

	@ParameterizedTest
	@MethodSource
	void interruptEndsTheWaitAndIsKept(Runnable wait) {
		Thread.currentThread().interrupt();

		wait.run();

		assertThat(Thread.interrupted()).isTrue();
	}

	static Stream<Runnable> interruptEndsTheWaitAndIsKept() {
		return Stream.of(() -> Closing.await(new CompletableFuture<>()), () -> Closing.await(Timeouts.thread()));
	}

	@Test
	void threadsThatStoppedInTimeAreNotLogged() {
		ScheduledExecutorService stopped = Timeouts.thread();
		stopped.shutdown();

		try (LogRecorder log = LogRecorder.debugOf(Closing.class.getName())) {
			Closing.await(stopped);

			assertThat(log.lines()).isEmpty();
		}
	}

}
