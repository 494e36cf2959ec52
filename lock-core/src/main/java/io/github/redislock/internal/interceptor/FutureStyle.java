package io.github.redislock.internal.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockOperations;
import io.github.redislock.LockedSupplier;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * The style of methods whose work ends when the future that they return completes. No
 * thread is blocked while the call waits for its lock.
 *
 * @param type the type of the value
 */
record FutureStyle(Class<?> type) implements CallStyle {

	@Override
	public Object call(LockedCall call, LockOperations locks) {
		CompletableFuture<@Nullable Object> locked = Futures.attempt(
				() -> locks.async().execute(call.target(), call.options(), () -> stage(call, call::proceedElsewhere)));
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		locked.whenComplete((value, failure) -> {
			if (failure != null && call.isRefusal(failure)) {
				Futures.relay(stage(call, () -> call.refused(failure)), result);
			}
			else {
				Futures.complete(result, value, failure);
			}
		});
		// Cancelling the result also cancels the wait or the work.
		Futures.relay(result, locked);
		return result;
	}

	@Override
	public Object emptyResult() {
		return CompletableFuture.completedFuture(EmptyResults.of(this.type));
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> stage(LockedCall call,
			LockedSupplier<@Nullable Object, Throwable> work) {
		try {
			Object result = work.get();
			if (result == null) {
				throw new IllegalStateException(
						"Method '%s', or its fallback, returned null instead of a future".formatted(call.describe()));
			}
			return (CompletionStage<@Nullable Object>) result;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
