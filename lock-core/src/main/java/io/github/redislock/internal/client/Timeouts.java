package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.internal.support.DaemonThreads;

/**
 * Fails requests whose replies do not arrive in time. Thread-safe.
 * <p>
 * Does not use the thread of {@link CompletableFuture#orTimeout}, which the whole JVM
 * shares. That thread never ends, keeps the class loader of the first application that
 * uses it, and would run the callers' actions.
 */
public final class Timeouts {

	private final ScheduledExecutorService executor;

	/**
	 * Create an instance.
	 * @param executor runs the timeouts; its owner closes it
	 */
	public Timeouts(ScheduledExecutorService executor) {
		this.executor = executor;
	}

	/**
	 * Return an executor with one thread, which ends when it is idle.
	 */
	public static ScheduledExecutorService thread() {
		return DaemonThreads.timer("redis-lock-timeouts");
	}

	/**
	 * Fail a reply with a {@link TimeoutException} unless it arrives in time.
	 * @return the given reply
	 */
	<T> CompletableFuture<T> within(CompletableFuture<T> reply, Duration timeout) {
		if (!reply.isDone()) {
			unless(reply, timeout, () -> reply.completeExceptionally(new TimeoutException()));
		}
		return reply;
	}

	/**
	 * Run an action after the given time, unless a reply arrives before that.
	 */
	void unless(CompletableFuture<?> reply, Duration time, Runnable action) {
		Future<?> end = this.executor.schedule(action, time.toNanos(), TimeUnit.NANOSECONDS);
		reply.whenComplete((result, failure) -> end.cancel(false));
	}

}
