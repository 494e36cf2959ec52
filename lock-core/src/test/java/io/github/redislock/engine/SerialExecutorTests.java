package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.redislock.internal.support.CallingThread;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * @see SerialExecutorInterleavingTests for concurrent use
 */
class SerialExecutorTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final List<String> done = new ArrayList<>();

	private final SerialExecutor<List<String>> executor = new SerialExecutor<>(this.done);

	@Test
	void taskRunsOnTheSubmittingThread() {
		List<Thread> threads = new ArrayList<>();

		this.executor.run((done) -> threads.add(Thread.currentThread()));

		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void taskSubmittedByAnotherTaskRunsAfterThatTask() {
		this.executor.run((done) -> {
			this.executor.run((later) -> later.add("second"));
			this.executor.run((later) -> later.add("third"));
			done.add("first");
		});

		assertThat(this.done).containsExactly("first", "second", "third");
	}

	@Test
	void threadDoesNotSendTheRequestsOfLaterTasks() {
		CallingThread.begin(SECOND, () -> {
			this.executor.run((done) -> this.executor.run((later) -> offer("of another")));
			this.executor.run((done) -> offer("own"));
			return this.done;
		}, (done) -> new CompletableFuture<>());

		assertThat(this.done).containsExactly("of another refused", "own");
	}

	private void offer(String request) {
		if (!CallingThread.accepts((waits) -> this.done.add(request), SECOND)) {
			this.done.add(request + " refused");
		}
	}

	@Test
	void tasksAfterAFailedTaskStillRun() {
		this.executor.run((done) -> {
			this.executor.run((later) -> later.add("second"));
			throw new AssertionError("test");
		});
		this.executor.run((done) -> done.add("third"));

		assertThat(this.done).containsExactly("second", "third");
	}

	@Test
	void unloggableFailureDoesNotStopOtherTasks() {
		this.executor.run((done) -> {
			this.executor.run((later) -> later.add("second"));
			throw new OutOfMemoryError() {

				private static final long serialVersionUID = 1L;

				// As the JVM does when there is no memory left to log the failure.
				@Override
				public String getMessage() {
					throw this;
				}

			};
		});

		assertThat(this.done).containsExactly("second");
	}

	@Test
	void submissionDuringARunningTaskDoesNotWait() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Thread other = new Thread(() -> this.executor.run((done) -> {
			begun.countDown();
			await().until(() -> goOn.getCount() == 0);
			done.add("first");
		}));
		other.start();
		begun.await();

		this.executor.run((done) -> done.add("second"));
		assertThat(this.done).isEmpty();
		goOn.countDown();
		other.join();

		assertThat(this.done).containsExactly("first", "second");
	}

}
