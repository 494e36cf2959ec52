package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the store answers, without waiting for it longer than a moment: one
 * question at a time, whose answer may come later. Thread-safe.
 */
final class StoreProbe {

	/** Nobody holds it. */
	private static final LockTarget QUESTION = LockTarget.of("redis-lock-health");

	private static final Duration MOMENT = Duration.ofMillis(250);

	/** Until then a busy machine is as likely as an outage. */
	private static final Duration SUSPICIOUS = Duration.ofSeconds(1);

	private final AsyncLockOperations locks;

	/** Guarded by this object's monitor, as all that follows. */
	private CompletableFuture<?> question = CompletableFuture.completedFuture(null);

	private long askedAt;

	private @Nullable String lastTrouble;

	StoreProbe(AsyncLockOperations locks) {
		this.locks = locks;
	}

	/**
	 * Return why the store cannot be used, or {@code null} if it can, as far as is known.
	 */
	@Nullable String trouble() {
		CompletableFuture<?> asked = ask();
		String trouble;
		try {
			asked.get(MOMENT.toNanos(), TimeUnit.NANOSECONDS);
			trouble = null;
		}
		catch (TimeoutException ex) {
			return late();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return late();
		}
		catch (ExecutionException ex) {
			Throwable reason = ex.getCause();
			trouble = String.valueOf((reason != null) ? reason.getMessage() : ex.getMessage());
		}
		synchronized (this) {
			this.lastTrouble = trouble;
		}
		return trouble;
	}

	/**
	 * Ask, unless an earlier question is still open.
	 */
	private synchronized CompletableFuture<?> ask() {
		if (this.question.isDone()) {
			this.question = this.locks.inspect(QUESTION);
			this.askedAt = System.nanoTime();
		}
		return this.question;
	}

	private synchronized @Nullable String late() {
		Duration age = Duration.ofNanos(System.nanoTime() - this.askedAt);
		return (age.compareTo(SUSPICIOUS) < 0) ? this.lastTrouble
				: "no answer for %d.%ds".formatted(age.toSeconds(), age.toMillisPart() / 100);
	}

}
