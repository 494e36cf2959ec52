package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * @see LocalQueueInterleavingTests for concurrent use
 */
class LocalQueueStepsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final List<String> done = new ArrayList<>();

	private final LocalQueue queue = new LocalQueue(EngineCalls.parts(), LockTarget.of("order:42"), true);

	@Test
	void stepRunsOnTheSubmittingThread() {
		List<Thread> threads = new ArrayList<>();

		this.queue.run((state) -> threads.add(Thread.currentThread()));

		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void queueIsNotUsedAgainAfterItsLastUserHasLeft() {
		assertThat(this.queue.unuse()).isTrue();

		assertThat(this.queue.isUsed()).isFalse();
		assertThat(this.queue.use(AcquireSettings.of(LockOptions.options(), LockOptions.defaults(), null))).isFalse();
	}

	@Test
	void stepSubmittedByAnotherStepRunsAfterThatStep() {
		this.queue.run((state) -> {
			this.queue.run((later) -> this.done.add("second"));
			this.queue.run((later) -> this.done.add("third"));
			this.done.add("first");
		});

		assertThat(this.done).containsExactly("first", "second", "third");
	}

	@Test
	void threadDoesNotSendTheRequestsOfLaterSteps() {
		CallingThread.begin(SECOND, () -> {
			this.queue.run((state) -> this.queue.run((later) -> offer("of another")));
			this.queue.run((state) -> offer("own"));
			return this.queue;
		}, (queue) -> new CompletableFuture<>());

		assertThat(this.done).containsExactly("of another refused", "own");
	}

	private void offer(String request) {
		if (!CallingThread.accepts((waits) -> this.done.add(request), SECOND)) {
			this.done.add(request + " refused");
		}
	}

	@Test
	void stepsAfterAFailedStepStillRun() {
		try (LogRecorder log = LogRecorder.warningsOf(LocalQueue.class.getName())) {
			this.queue.run((state) -> {
				this.queue.run((later) -> this.done.add("second"));
				throw new AssertionError("test");
			});
			this.queue.run((state) -> this.done.add("third"));

			assertThat(this.done).containsExactly("second", "third");
			assertThat(log.text()).contains("A step of the lock engine failed");
		}
	}

	@Test
	void unloggableFailureDoesNotStopOtherSteps() {
		this.queue.run((state) -> {
			this.queue.run((later) -> this.done.add("second"));
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
	void submissionDuringARunningStepDoesNotWait() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Thread other = new Thread(() -> this.queue.run((state) -> {
			begun.countDown();
			await().until(() -> goOn.getCount() == 0);
			this.done.add("first");
		}));
		other.start();
		begun.await();

		this.queue.run((state) -> this.done.add("second"));
		assertThat(this.done).isEmpty();
		goOn.countDown();
		other.join();

		assertThat(this.done).containsExactly("first", "second");
	}

}
