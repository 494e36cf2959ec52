package io.github.redislock.internal.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Passes results from future to future, and reads failures from them.
 */
public final class Futures {

	private Futures() {
	}

	/**
	 * Return the reply to a request. If the request throws an exception, the reply fails
	 * with it.
	 */
	public static <T extends @Nullable Object> CompletableFuture<T> attempt(
			Supplier<? extends CompletionStage<T>> request) {
		try {
			return request.get().toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Complete a future as another one completes.
	 */
	public static <T extends @Nullable Object> void relay(CompletionStage<? extends T> from, CompletableFuture<T> to) {
		from.whenComplete((value, failure) -> complete(to, value, failure));
	}

	/**
	 * Complete a future with a failure if there is one, and otherwise with a result.
	 */
	public static <T extends @Nullable Object> void complete(CompletableFuture<T> future, T value,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

	/**
	 * Return the failure without the exceptions in which futures wrap it.
	 */
	public static Throwable unwrap(Throwable failure) {
		Throwable cause = failure.getCause();
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		return (wrapped && cause != null) ? unwrap(cause) : failure;
	}

}
