package io.github.redislock.simulation;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a lock through the asynchronous API.
 */
final class AsyncAttempt extends Attempt {

	private @Nullable CompletableFuture<AsyncLockHandle> future;

	/**
	 * Referenced so that the engine does not treat the lock as abandoned after a garbage
	 * collection.
	 */
	private @Nullable AsyncLockHandle lock;

	AsyncAttempt(int number, Instance instance, Ask ask, long askedAt) {
		super(number, instance, ask, askedAt);
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	void begin(World world) {
		CompletableFuture<AsyncLockHandle> asked = instance().engine()
			.async()
			.acquire(ask().target(), ask().terms().options());
		this.future = asked;
		asked.whenComplete((given, failure) -> {
			if (given != null) {
				this.lock = given;
				holds(given);
				world.given(this);
			}
			else {
				world.failed(this, (failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure);
			}
		});
	}

	@Override
	void stopWaiting(World world) {
		if (Objects.requireNonNull(this.future).cancel(false)) {
			world.counts().count("wait cancelled");
		}
	}

	@Override
	void onLost(Runnable action) {
		lock().onLost(action);
	}

	@Override
	void twist(World world) {
		switch (ask().twist()) {
			case EXTEND -> lock().extend(ask().terms().requiredLease());
			case RENEW -> lock().renew();
			case SHORTEN -> lock().renew(ask().terms().requiredLease().dividedBy(2));
			case VERIFY -> lock().verify();
			default -> throw new IllegalStateException("Not possible with this API: " + ask().twist());
		}
	}

	@Override
	void release(BiConsumer<@Nullable ReleaseOutcome, @Nullable Throwable> told) {
		lock().release().whenComplete(told);
	}

	private AsyncLockHandle lock() {
		return Objects.requireNonNull(this.lock);
	}

}
