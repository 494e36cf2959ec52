package io.github.redislock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.redislock.LockException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Passes the store's replies to futures, which complete on threads that callers may
 * block.
 */
final class AsyncReplies {

	private AsyncReplies() {
	}

	/**
	 * Return the reply to a request.
	 * @return fails as {@link StoreReplies#await} throws
	 */
	static <T extends @Nullable Object> CompletableFuture<T> relay(LockTarget target,
			Supplier<? extends CompletionStage<T>> question, Executor executor) {
		CompletionStage<T> reply;
		try {
			reply = question.get();
		}
		catch (LockException | IllegalStateException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<T> relayed = new CompletableFuture<>();
		reply.whenComplete((value, failure) -> run(executor,
				() -> settle(relayed, value, (failure != null) ? StoreReplies.translate(target, failure) : null)));
		return relayed;
	}

	/**
	 * Complete a future with the result of another one.
	 * @param value its result
	 * @param failure its failure, or {@code null}
	 */
	static <T extends @Nullable Object> void settle(CompletableFuture<T> future, T value, @Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

	/**
	 * Run a task once on an executor, and on the current thread if the executor is shut
	 * down or fails: no caller must wait forever.
	 */
	static void run(Executor executor, Runnable task) {
		AtomicBoolean begun = new AtomicBoolean();
		Runnable once = () -> {
			if (begun.compareAndSet(false, true)) {
				task.run();
			}
		};
		try {
			executor.execute(once);
		}
		catch (Throwable ex) {
			once.run();
		}
	}

}
