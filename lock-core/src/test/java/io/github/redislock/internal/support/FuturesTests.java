package io.github.redislock.internal.support;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FuturesTests {

	@Test
	void attemptReturnsTheReplyItself() {
		CompletableFuture<String> reply = new CompletableFuture<>();

		assertThat(Futures.attempt(() -> reply)).isSameAs(reply);
	}

	@Test
	void exceptionOrErrorOfARequestFailsItsReply() {
		IllegalStateException failure = new IllegalStateException("test");
		CompletableFuture<String> failed = Futures.attempt(() -> {
			throw failure;
		});
		CompletableFuture<String> broken = Futures.attempt(() -> {
			throw new NoClassDefFoundError("test");
		});

		assertThat(failed.handle((reply, thrown) -> Futures.unwrap(thrown)).join()).isSameAs(failure);
		assertThat(broken).isCompletedExceptionally();
	}

	@Test
	void relayedFutureCompletesAsTheOtherOne() {
		IllegalStateException failure = new IllegalStateException("test");
		CompletableFuture<String> completed = new CompletableFuture<>();
		CompletableFuture<String> failed = new CompletableFuture<>();

		Futures.relay(CompletableFuture.completedFuture("value"), completed);
		Futures.relay(CompletableFuture.failedFuture(failure), failed);

		assertThat(completed).isCompletedWithValue("value");
		assertThat(failed).isCompletedExceptionally();
	}

	@Test
	void onlyExceptionsOfFuturesAreUnwrapped() {
		IllegalStateException failure = new IllegalStateException("test", new IOException("cause"));
		CompletionException withoutCause = new CompletionException("no cause", null);

		assertThat(Futures.unwrap(failure)).isSameAs(failure);
		assertThat(Futures.unwrap(new CompletionException(new ExecutionException(failure)))).isSameAs(failure);
		assertThat(Futures.unwrap(withoutCause)).isSameAs(withoutCause);
	}

}
