package io.github.redislock.internal.support;

import java.util.concurrent.CompletableFuture;

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

}
