package io.github.redislock.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Passes the store's replies to callers that block, and to futures.
 */
final class StoreReplies {

	private StoreReplies() {
	}

	/**
	 * Wait for a reply. A store replies within a bounded time. An interrupt does not end
	 * the wait, and the interrupt flag stays set.
	 * @param waiting lets the caller's thread wait
	 * @throws LockException if the store failed or the lock was lost
	 * @throws IllegalStateException if the lock's state does not allow the request
	 */
	static <T> T await(SystemResources.Waiting waiting, LockTarget target, CompletionStage<T> reply) {
		try {
			return waiting.join(reply.toCompletableFuture());
		}
		catch (CompletionException ex) {
			throw translate(target, ex);
		}
	}

	/**
	 * Return the reply to a request as a future.
	 * @param executor completes the future, because its dependent actions may block
	 * @return a future that fails with the exceptions that {@link #await} throws
	 */
	static <T extends @Nullable Object> CompletableFuture<T> relay(LockTarget target,
			Supplier<? extends CompletionStage<T>> request, Executor executor) {
		CompletionStage<T> reply;
		try {
			reply = request.get();
		}
		catch (LockException | IllegalStateException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<T> relayed = new CompletableFuture<>();
		reply.whenComplete((value, failure) -> run(executor,
				() -> Futures.complete(relayed, value, (failure != null) ? translate(target, failure) : null)));
		return relayed;
	}

	private static RuntimeException translate(LockTarget target, Throwable failure) {
		Throwable cause = Futures.unwrap(failure);
		return (cause instanceof LockLostException || cause instanceof IllegalStateException) ? (RuntimeException) cause
				: Failures.of(target, cause);
	}

	/**
	 * Run a task once on an executor. If the executor is shut down or fails, run the task
	 * on the current thread, so that no caller waits forever.
	 */
	static void run(Executor executor, Runnable task) {
		AtomicBoolean begun = new AtomicBoolean();
		Runnable once = () -> {
			if (begun.compareAndSet(false, true)) {
				task.run();
			}
		};
		try {
			CallingThread.runOther(() -> executor.execute(once));
		}
		catch (Throwable ex) {
			once.run();
		}
	}

}
