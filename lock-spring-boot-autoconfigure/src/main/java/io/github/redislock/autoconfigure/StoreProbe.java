package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Probes whether the store accepts writes, with a short wait. Only one request is in
 * flight at a time. If a reply is late, the next call uses it. Thread-safe.
 */
final class StoreProbe {

	/** Reserved for the probe, which releases this lock by force. */
	private static final LockTarget QUESTION = LockTarget.of("redis-lock-health");

	private static final Duration MOMENT = Duration.ofMillis(250);

	/**
	 * A missing reply counts only after this time. Before that, a busy machine is as
	 * likely a cause as an outage.
	 */
	private static final Duration SUSPICIOUS = Duration.ofSeconds(1);

	private final AsyncLockOperations locks;

	/**
	 * The last request. It completes with the reason why it failed, or {@code null} if it
	 * succeeded. Guarded, like all fields below, by this object's monitor.
	 */
	private CompletableFuture<@Nullable String> question = CompletableFuture.completedFuture(null);

	private long askedAt;

	/** Why the request before the last one failed, or {@code null} if it succeeded. */
	private @Nullable String troubleBefore;

	/**
	 * Create a probe.
	 * @param locks may complete futures on any thread, because the probe does not block
	 * that thread
	 */
	StoreProbe(AsyncLockOperations locks) {
		this.locks = locks;
	}

	/**
	 * Return why the store cannot be used, or {@code null} if no reason is known.
	 */
	@Nullable String trouble() {
		try {
			ask().get(MOMENT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			// A missing reply is reported below, and the future never fails.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return known();
	}

	/**
	 * Return whether the reply to the last request is still missing.
	 */
	synchronized boolean isWaiting() {
		return !this.question.isDone();
	}

	/**
	 * Send a request, or return the earlier one if its reply is still missing.
	 */
	private CompletableFuture<@Nullable String> ask() {
		CompletableFuture<@Nullable String> asked = new CompletableFuture<>();
		synchronized (this) {
			if (!this.question.isDone()) {
				return this.question;
			}
			this.troubleBefore = this.question.join();
			this.question = asked;
			this.askedAt = System.nanoTime();
		}
		Futures.attempt(() -> this.locks.forceRelease(QUESTION))
			.whenComplete((state, failure) -> asked
				.complete((failure != null) ? String.valueOf(failure.getMessage()) : null));
		return asked;
	}

	private synchronized @Nullable String known() {
		if (this.question.isDone()) {
			return this.question.join();
		}
		Duration age = Duration.ofNanos(System.nanoTime() - this.askedAt);
		return (age.compareTo(SUSPICIOUS) < 0) ? this.troubleBefore : "no reply for " + Durations.describe(age);
	}

}
