package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends the wait for answers that do not come in time. Thread-safe.
 * <p>
 * On a thread of its own, and not on that of {@link CompletableFuture#orTimeout}, which
 * the whole JVM shares: that one lives for ever and remembers the class loader of the
 * first application that needs it, and it would run what callers do about a time-out.
 */
final class Timeouts implements AutoCloseable {

	private static final int IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor executor;

	Timeouts() {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "redis-lock-timeouts");
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Fail an answer with a {@link TimeoutException} unless it comes in time.
	 * @return the same answer
	 */
	<T> CompletableFuture<T> within(CompletableFuture<T> answer, Duration timeout) {
		if (!answer.isDone()) {
			Future<?> end = this.executor.schedule(() -> answer.completeExceptionally(new TimeoutException()),
					timeout.toNanos(), TimeUnit.NANOSECONDS);
			answer.whenComplete((reply, failure) -> end.cancel(false));
		}
		return answer;
	}

	/**
	 * Take no more. What is waited for still ends in its time.
	 */
	@Override
	public void close() {
		this.executor.shutdown();
	}

}
