package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
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
	 * The last request, completed when its reply is recorded. Guarded, like all fields
	 * below, by this object's monitor.
	 */
	private CompletableFuture<?> question = CompletableFuture.completedFuture(null);

	private long askedAt;

	/** Why the last completed request failed, or {@code null} if it succeeded. */
	private @Nullable String lastTrouble;

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
			// The recorded failure of the last request is more useful than this
			// exception.
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
	private CompletableFuture<?> ask() {
		CompletableFuture<?> asked;
		synchronized (this) {
			if (!this.question.isDone()) {
				return this.question;
			}
			asked = new CompletableFuture<>();
			this.question = asked;
			this.askedAt = System.nanoTime();
		}
		try {
			this.locks.forceRelease(QUESTION).whenComplete((state, failure) -> replied(asked, failure));
		}
		catch (RuntimeException | Error ex) {
			// Catch errors as well: otherwise each call would wait for a request that
			// never completes.
			replied(asked, ex);
		}
		return asked;
	}

	/**
	 * Record a reply, on time or late, because the next caller needs it.
	 */
	private void replied(CompletableFuture<?> asked, @Nullable Throwable failure) {
		synchronized (this) {
			this.lastTrouble = (failure != null) ? String.valueOf(failure.getMessage()) : null;
		}
		asked.complete(null);
	}

	private synchronized @Nullable String known() {
		Duration age = Duration.ofNanos(System.nanoTime() - this.askedAt);
		return (this.question.isDone() || age.compareTo(SUSPICIOUS) < 0) ? this.lastTrouble
				: "no reply for " + Durations.describe(age);
	}

}
