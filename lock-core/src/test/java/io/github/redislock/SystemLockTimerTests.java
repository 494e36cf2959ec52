package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SystemLockTimerTests {

	private final LockTimer timer = LockTimer.system();

	@AfterEach
	void close() {
		this.timer.close();
	}

	@Test
	void taskRunsWhenItIsDueOnADaemonThread() {
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		long begin = this.timer.nanoTime();

		this.timer.schedule(() -> ran.complete(Thread.currentThread()), Duration.ofMillis(50));

		assertThat(ran.join().isDaemon()).isTrue();
		assertThat(this.timer.nanoTime() - begin).isGreaterThanOrEqualTo(50_000_000);
		assertThat(List.of(this.timer.now(), Instant.ofEpochMilli(this.timer.currentTimeMillis()))).allSatisfy(
				(now) -> assertThat(now).isBetween(Instant.now().minusSeconds(5), Instant.now().plusSeconds(5)));
	}

	@Test
	void failedTaskDoesNotStopOtherTasks() {
		this.timer.schedule(() -> {
			throw new IllegalStateException("test");
		}, Duration.ZERO);
		this.timer.schedule(() -> {
			throw new NoClassDefFoundError("test");
		}, Duration.ZERO);
		CompletableFuture<Boolean> ran = new CompletableFuture<>();

		this.timer.schedule(() -> ran.complete(true), Duration.ofMillis(1));

		assertThat(ran.join()).isTrue();
	}

	@Test
	void closedTimerHasNoThread() {
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		this.timer.schedule(() -> ran.complete(Thread.currentThread()), Duration.ZERO);
		Thread thread = ran.join();

		this.timer.close();

		await().until(() -> !thread.isAlive());
	}

	@Test
	void dueTaskDoesNotRunAfterClose() {
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		AtomicBoolean late = new AtomicBoolean();
		this.timer.schedule(() -> {
			this.timer.schedule(() -> late.set(true), Duration.ZERO);
			this.timer.close();
			ran.complete(Thread.currentThread());
		}, Duration.ZERO);

		Thread thread = ran.join();

		await().until(() -> !thread.isAlive());
		assertThat(late).isFalse();
	}

	@Test
	void timerMayBeClosedByOneOfItsTasks() {
		CompletableFuture<Boolean> closed = new CompletableFuture<>();

		this.timer.schedule(() -> {
			this.timer.close();
			closed.complete(!Thread.currentThread().isInterrupted());
		}, Duration.ZERO);

		assertThat(closed.join()).isTrue();
	}

	@Test
	void interruptedCloseKeepsTheInterruptFlag() {
		CompletableFuture<Void> running = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		this.timer.schedule(() -> {
			running.complete(null);
			end.join();
		}, Duration.ZERO);
		running.join();

		Thread.currentThread().interrupt();
		this.timer.close();

		assertThat(Thread.interrupted()).isTrue();
		end.complete(null);
	}

	@Test
	void schedulingOnAClosedTimerDoesNotFail() {
		Future<?> before = this.timer.schedule(() -> {
		}, Duration.ofHours(1));
		this.timer.close();

		Future<?> after = this.timer.schedule(() -> {
		}, Duration.ZERO);

		assertThat(before.isCancelled()).isTrue();
		assertThat(after.isCancelled()).isTrue();
	}

}
