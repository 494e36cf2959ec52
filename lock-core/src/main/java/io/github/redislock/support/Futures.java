package io.github.redislock.support;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * What futures lack.
 */
public final class Futures {

	private Futures() {
	}

	/**
	 * Complete a future in the way in which another one ended.
	 * @param value what that returned
	 * @param failure with what it failed, or {@code null}
	 */
	public static <T extends @Nullable Object> void settle(CompletableFuture<T> future, T value,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

}
