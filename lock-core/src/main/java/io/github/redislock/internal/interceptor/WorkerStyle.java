package io.github.redislock.internal.interceptor;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.LateWork;
import org.jspecify.annotations.Nullable;

/**
 * The style of methods that run on a worker thread, as with {@code @Async}. The worker
 * waits for the future that the method returns.
 *
 * @param type the type of the value
 */
record WorkerStyle(Class<?> type) implements CallStyle {

	@Override
	public @Nullable Object call(LockedCall call, LockOperations locks) throws Throwable {
		LockTarget target = call.target();
		return BlockingStyle.call(call, locks, () -> ended(target, (Future<?>) call.proceed()));
	}

	/**
	 * Wait for a future, as Spring's interceptor for {@code @Async} also does.
	 * @return the future, which has completed or was cancelled, or {@code null} if the
	 * method returned none
	 */
	private static @Nullable Future<?> ended(LockTarget target, @Nullable Future<?> future) throws Throwable {
		if (future == null) {
			return null;
		}
		try {
			LateWork.requireNone(target, future.get());
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
		catch (CancellationException ex) {
			// The future itself reports this to its caller.
			return future;
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			throw ex;
		}
		return future;
	}

	@Override
	public Object emptyResult() {
		return CompletableFuture.completedFuture(EmptyResults.of(this.type));
	}

}
