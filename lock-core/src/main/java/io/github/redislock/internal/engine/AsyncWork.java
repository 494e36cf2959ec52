package io.github.redislock.internal.engine;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.OnLost;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.internal.support.LateWork;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous work under a lock. It lasts until the work's future has completed.
 * <p>
 * While the work runs, its future references this object, but the engine does not. If
 * that future and the caller's result are dropped, the work can never end, and the lock's
 * handle is detected as dropped.
 *
 * @param <T> the type of the result
 */
final class AsyncWork<T extends @Nullable Object> {

	private final Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work;

	private final CompletableFuture<T> result;

	private final OnLost onLost;

	private final Executor executor;

	private final Executor cancels;

	private final AtomicBoolean begun = new AtomicBoolean();

	private @Nullable AsyncHandle lock;

	/** The locks under which the work was created. Kept until the work begins. */
	private List<LockHandle> surroundings = openLocksOfWork();

	/**
	 * Create work that begins when its lock is held. The locks of the current thread's
	 * work become its surrounding locks.
	 * @param result the caller's future
	 * @param executor completes the result
	 * @param cancels runs the cancellation of the work's future after a loss, and with it
	 * the future's dependent actions
	 */
	AsyncWork(Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work, CompletableFuture<T> result,
			OnLost onLost, Executor executor, Executor cancels) {
		this.work = work;
		this.result = result;
		this.onLost = onLost;
		this.executor = executor;
		this.cancels = cancels;
	}

	/**
	 * Begin the work on the executor, now that the lock is held. If the executor rejects
	 * it, the work ends without running, because the work could block the current thread.
	 * @param task {@linkplain #run() runs} this work
	 */
	void begin(AsyncHandle lock, Runnable task) {
		this.lock = lock;
		try {
			this.executor.execute(() -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					endUnbegun(lock, ex);
				}
			});
		}
		catch (Throwable ex) {
			endUnbegun(lock, ex);
		}
	}

	/**
	 * Run the work on the current thread, unless the caller has completed the result.
	 */
	void run() {
		if (!this.begun.compareAndSet(false, true)) {
			return;
		}
		AsyncHandle lock = Objects.requireNonNull(this.lock);
		List<LockHandle> outer = this.surroundings;
		this.surroundings = List.of();
		if (this.result.isDone()) {
			lock.leave();
			return;
		}
		try {
			CompletionStage<T> future = ThreadLocks.call(outer, () -> lock
				.call(() -> Objects.requireNonNull(this.work.apply(lock), "work returned null instead of a future")));
			endEarly(lock, future);
			future
				.whenComplete((value, failure) -> LateWork.requireNone(lock.hold().target(),
						(lock.hold().entries() == 1) ? value : null))
				.whenComplete((value, failure) -> ended(lock, value, failure));
		}
		catch (Throwable ex) {
			ended(lock, null, ex);
		}
	}

	private void endUnbegun(AsyncHandle lock, Throwable reason) {
		if (this.begun.compareAndSet(false, true)) {
			ended(lock, null, reason);
		}
	}

	/**
	 * Cancel the work's future when the result is cancelled and, if configured, when the
	 * lock is lost.
	 */
	private void endEarly(AsyncHandle lock, CompletionStage<T> future) {
		// The caller may cancel the work through the result, so the result references the
		// work's future.
		this.result.whenComplete((value, failure) -> {
			if (failure instanceof CancellationException) {
				cancel(future);
			}
		});
		if (this.onLost == OnLost.INTERRUPT) {
			// The engine keeps this action, so it must not have a strong reference to the
			// work.
			Reference<CompletionStage<T>> work = new WeakReference<>(future);
			Executor cancels = this.cancels;
			lock.whenLost(() -> cancels.execute(() -> cancel(work.get())));
		}
	}

	private static void cancel(@Nullable CompletionStage<?> stage) {
		if (stage instanceof Future<?> future) {
			future.cancel(true);
		}
	}

	private void ended(AsyncHandle lock, @Nullable T value, @Nullable Throwable failure) {
		lock.leave()
			.thenAccept((outcome) -> StoreReplies.run(this.executor, () -> complete(value,
					(failure != null) ? Futures.unwrap(failure) : null, lock.lossAfter(outcome))));
	}

	private void complete(@Nullable T value, @Nullable Throwable failure, @Nullable LockLostException lost) {
		if (failure == null && lost == null) {
			this.result.complete(value);
			return;
		}
		LockLostException instead = (failure != null) ? LockedWork.lossInsteadOf(failure, lost, this.onLost) : lost;
		this.result.completeExceptionally((instead != null) ? instead : Objects.requireNonNull(failure));
	}

	/**
	 * Return the unreleased locks under which the current thread's work runs, outermost
	 * first.
	 */
	private static List<LockHandle> openLocksOfWork() {
		List<LockHandle> open = new ArrayList<>(ThreadLocks.ofWork());
		open.removeIf((handle) -> !(handle instanceof CallersLock given) || given.isOver());
		Collections.reverse(open);
		return open;
	}

}
