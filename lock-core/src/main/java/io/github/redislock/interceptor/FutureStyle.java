package io.github.redislock.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockOperations;
import org.jspecify.annotations.Nullable;

/**
 * The work ends with the future that the method returns. No thread waits for the lock,
 * not even the caller's.
 *
 * @param type the type of the value
 */
record FutureStyle(Class<?> type) implements CallStyle {

	@Override
	public Object call(LockedCall call, LockOperations locks) {
		CompletableFuture<@Nullable Object> locked;
		try {
			locked = locks.async().execute(call.target(), call.options(), () -> begin(call));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		locked.whenComplete((value, failure) -> {
			if (failure != null && call.isRefusal(failure)) {
				complete(result, instead(call, failure));
			}
			else {
				complete(result, value, failure);
			}
		});
		// The caller may cancel the result.
		result.whenComplete((value, failure) -> complete(locked, value, failure));
		return result;
	}

	@Override
	public Object emptyResult() {
		return CompletableFuture.completedFuture(EmptyResults.of(this.type));
	}

	private static CompletionStage<@Nullable Object> begin(LockedCall call) {
		try {
			return stage(call, call.proceedElsewhere());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static CompletionStage<@Nullable Object> instead(LockedCall call, Throwable refusal) {
		try {
			return stage(call, call.refused(refusal));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> stage(LockedCall call, @Nullable Object result) {
		if (result == null) {
			return CompletableFuture.failedFuture(new IllegalStateException(
					"Method '%s' returned null instead of a future".formatted(call.describe())));
		}
		return (CompletionStage<@Nullable Object>) result;
	}

	private static void complete(CompletableFuture<@Nullable Object> future, CompletionStage<@Nullable Object> with) {
		with.whenComplete((value, failure) -> complete(future, value, failure));
	}

	private static void complete(CompletableFuture<@Nullable Object> future, @Nullable Object value,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

}
