package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTimer;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Repeats a request to the store in the background until the store replies or fails
 * permanently, or a time limit is reached.
 */
final class BackgroundRetry {

	private static final Log logger = LogFactory.getLog(BackgroundRetry.class);

	private static final Duration FIRST_DELAY = Duration.ofMillis(50);

	private static final Duration LONGEST_DELAY = Duration.ofMillis(250);

	private final LockTimer timer;

	private final Set<CompletableFuture<Void>> pending = ConcurrentHashMap.newKeySet();

	BackgroundRetry(LockTimer timer) {
		this.timer = timer;
	}

	/**
	 * Send the request now, and again after each retryable failure.
	 * @param description describes the request in the log
	 * @param limit the time after which the request is not repeated
	 * @return a future that completes when the store has replied or the retries have
	 * ended
	 */
	CompletableFuture<Void> run(String description, Duration limit, Supplier<? extends CompletionStage<?>> request) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		awaitAtClose(done);
		attempt(description, this.timer.nanoTime() + Durations.nanos(limit), FIRST_DELAY, request, done);
		return done;
	}

	/**
	 * Count another request as pending until it is done.
	 */
	void awaitAtClose(CompletableFuture<Void> done) {
		this.pending.add(done);
		done.whenComplete((nothing, failure) -> this.pending.remove(done));
	}

	/**
	 * Return a future that completes when all requests that are pending now are done.
	 */
	CompletableFuture<Void> settled() {
		return CompletableFuture.allOf(this.pending.toArray(CompletableFuture[]::new));
	}

	private void attempt(String description, long until, Duration delay, Supplier<? extends CompletionStage<?>> request,
			CompletableFuture<Void> done) {
		request.get().whenComplete((reply, failure) -> {
			boolean retryable = failure != null && Futures.unwrap(failure) instanceof LockStoreException outage
					&& outage.isRetryable();
			if (retryable && this.timer.nanoTime() + delay.toNanos() - until <= 0) {
				Duration next = Durations.min(delay.multipliedBy(2), LONGEST_DELAY);
				this.timer.schedule(() -> attempt(description, until, next, request, done), delay);
				return;
			}
			if (failure != null) {
				logger.warn("%s was not confirmed; the lock may stay held until it expires: %s".formatted(description,
						Futures.unwrap(failure).getMessage()));
			}
			done.complete(null);
		});
	}

}
