package io.github.redislock;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Work that goes on until its future has ended, under a lock that was taken for it.
 * <p>
 * While it runs nobody keeps it but its own future: if whoever was to complete that drops
 * it, the work never ends, and the lock's handle is found to be dropped, too.
 *
 * @param <T> the type of the result
 */
final class AsyncWork<T extends @Nullable Object> {

	private final Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work;

	private final CompletableFuture<T> result;

	private final OnLost onLost;

	private final Executor executor;

	private @Nullable AsyncHandle lock;

	/**
	 * Create work that waits for its lock.
	 * @param result the caller's
	 * @param executor completes the result
	 */
	AsyncWork(Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work, CompletableFuture<T> result,
			OnLost onLost, Executor executor) {
		this.work = work;
		this.result = result;
		this.onLost = onLost;
		this.executor = executor;
	}

	/**
	 * Take the lock. Called once, before the work begins.
	 */
	void granted(AsyncHandle lock) {
		this.lock = lock;
	}

	/**
	 * Begin on the present thread, unless the caller does not want the result any more.
	 */
	void begin() {
		AsyncHandle lock = Objects.requireNonNull(this.lock);
		if (this.result.isDone()) {
			lock.leave();
			return;
		}
		CompletionStage<T> future;
		try {
			future = lock.call(() -> Objects.requireNonNull(this.work.apply(lock), "the work answered no future"));
		}
		catch (Throwable ex) {
			ended(lock, null, ex);
			return;
		}
		endEarly(lock, new WeakReference<>(future));
		future.whenComplete((value, failure) -> ended(lock, value, failure));
	}

	/**
	 * Cancel the work's future with the result, and with the lock if that is wanted.
	 */
	private void endEarly(AsyncHandle lock, WeakReference<CompletionStage<T>> future) {
		this.result.whenComplete((value, failure) -> {
			if (this.result.isCancelled()) {
				cancel(future);
			}
		});
		if (this.onLost == OnLost.INTERRUPT) {
			lock.onLost(() -> cancel(future));
		}
	}

	private static void cancel(WeakReference<? extends CompletionStage<?>> reference) {
		if (reference.get() instanceof Future<?> future) {
			future.cancel(true);
		}
	}

	private void ended(AsyncHandle lock, @Nullable T value, @Nullable Throwable failure) {
		lock.leave()
			.thenAccept((outcome) -> AsyncAnswers.run(this.executor,
					() -> tell(value, (failure != null) ? Failures.unwrap(failure) : null, lock.lossAfter(outcome))));
	}

	private void tell(@Nullable T value, @Nullable Throwable failure, @Nullable LockLostException lost) {
		if (failure == null && lost == null) {
			this.result.complete(value);
			return;
		}
		LockLostException instead = (failure != null) ? LockedWork.lossInsteadOf(failure, lost, this.onLost) : lost;
		this.result.completeExceptionally((instead != null) ? instead : Objects.requireNonNull(failure));
	}

}
