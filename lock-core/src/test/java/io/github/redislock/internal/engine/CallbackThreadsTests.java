package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several actions are submitted while the first one blocks.
 */
class CallbackThreadsTests {

	private final CompletableFuture<Void> unblocked = new CompletableFuture<>();

	private final AtomicInteger ran = new AtomicInteger();

	@Test
	void actionsWaitForAFreeThread() {
		try (CallbackThreads threads = threads(WorkThreads.create("callback-threads-tests-", 1))) {
			assertAllRun(threads);
		}
	}

	@Test
	void submittedActionsStillRunAfterClose() {
		ExecutorService pool = Executors.newSingleThreadExecutor();
		CallbackThreads threads = threads(pool);

		threads.close();

		assertAllRun(threads);
		assertThat(pool.isShutdown()).isTrue();
	}

	private CallbackThreads threads(Executor executor) {
		CallbackThreads threads = new CallbackThreads(executor);
		for (int i = 0; i < 3; i++) {
			threads.execute(() -> {
				this.unblocked.join();
				this.ran.incrementAndGet();
			});
		}
		return threads;
	}

	private void assertAllRun(CallbackThreads threads) {
		this.unblocked.complete(null);
		assertThat(threads.settled()).succeedsWithin(Duration.ofSeconds(20));
		assertThat(this.ran).hasValue(3);
	}

}
