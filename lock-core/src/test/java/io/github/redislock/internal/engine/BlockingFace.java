package io.github.redislock.internal.engine;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Callers that block, on separate threads or on the calling one. Cancelling a wait
 * interrupts the thread.
 */
final class BlockingFace implements AsyncLockOperations {

	private final LockOperations locks;

	private final Executor threads;

	BlockingFace(LockOperations locks, Executor threads) {
		this.locks = locks;
		this.threads = threads;
	}

	@Override
	public CompletableFuture<AsyncLockHandle> acquire(LockTarget target, LockOptions options) {
		return call(() -> handle(this.locks.acquire(target, options)));
	}

	@Override
	public CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(LockTarget target, LockOptions options) {
		return call(() -> {
			LockHandle lock = this.locks.tryAcquire(target, options);
			return (lock != null) ? handle(lock) : null;
		});
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return call(() -> this.locks.<T, Exception>execute(target, options,
				() -> join(work.apply(handle(LockContext.current())))));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return call(() -> this.locks.<Exception>tryExecute(target, options,
				() -> join(work.apply(handle(LockContext.current())))));
	}

	@Override
	public CompletableFuture<Optional<LockState>> inspect(LockTarget target) {
		return call(() -> this.locks.inspect(target));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target) {
		return call(() -> this.locks.forceRelease(target));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target, LockState seen) {
		return call(() -> this.locks.forceRelease(target, seen));
	}

	private <T> CompletableFuture<T> call(Callable<T> call) {
		return call(call, this.threads);
	}

	private static <T> CompletableFuture<T> call(Callable<T> call, Executor threads) {
		Call<T> result = new Call<>(call);
		threads.execute(result);
		return result;
	}

	private static AsyncLockHandle handle(LockHandle lock) {
		return HandleAsFutures.of(lock, (call) -> call(call, Runnable::run));
	}

	/**
	 * Wait for the stage that the work has returned, and fail as it does.
	 */
	private static <T> T join(CompletionStage<T> begun) throws Exception {
		try {
			return begun.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	/**
	 * A call of a caller, and its result.
	 */
	private static final class Call<T> extends CompletableFuture<T> implements Runnable {

		private final Callable<T> call;

		private volatile @Nullable Thread caller;

		Call(Callable<T> call) {
			this.call = call;
		}

		@Override
		public void run() {
			this.caller = Thread.currentThread();
			if (isCancelled()) {
				return;
			}
			try {
				complete(this.call.call());
			}
			catch (Throwable ex) {
				completeExceptionally(ex);
			}
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			Thread interrupted = this.caller;
			if (cancelled && interrupted != null) {
				interrupted.interrupt();
			}
			return cancelled;
		}

	}

}
