package io.github.redislock.internal.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockCancelledException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.AcquireOutcome.Acquired;
import io.github.redislock.internal.engine.AcquireOutcome.Failed;
import io.github.redislock.internal.engine.AcquireOutcome.Refused;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.util.Assert;

/**
 * Acquires and keeps locks for callers that use futures instead of blocking.
 */
final class AsyncTemplate implements AsyncLockOperations {

	private final LockEngine engine;

	private final Executor executor;

	private final TaskDecorator decorator;

	/**
	 * Create a template on top of an engine.
	 * @param executor completes futures and begins work
	 * @param decorator called for each piece of work on the caller's thread
	 */
	AsyncTemplate(LockEngine engine, Executor executor, TaskDecorator decorator) {
		this.engine = engine;
		this.executor = executor;
		this.decorator = decorator;
	}

	@Override
	public CompletableFuture<AsyncLockHandle> acquire(LockTarget target, LockOptions options) {
		CompletableFuture<AsyncLockHandle> result = new CompletableFuture<>();
		request(target, this.engine.settings(target, options), result, (lock) -> give(lock, result),
				failing(target, result));
		return result;
	}

	@Override
	public CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(LockTarget target, LockOptions options) {
		CompletableFuture<@Nullable AsyncLockHandle> result = new CompletableFuture<>();
		request(target, this.engine.settingsToTry(target, options), result, (lock) -> give(lock, result),
				(refused) -> result.complete(null));
		return result;
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		run(target, this.engine.settings(target, options), work, result, failing(target, result));
		return result;
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		CompletableFuture<Boolean> ran = new CompletableFuture<>();
		CompletableFuture<T> result = new CompletableFuture<>();
		run(target, this.engine.settingsToTry(target, options), work, result, (refused) -> ran.complete(false));
		result.whenComplete((value, failure) -> Futures.complete(ran, true, failure));
		ran.whenComplete((value, failure) -> {
			if (failure != null) {
				// If the caller cancelled the returned future, this ends the wait or
				// cancels the work.
				result.completeExceptionally(failure);
			}
		});
		return ran;
	}

	@Override
	public CompletableFuture<Optional<LockState>> inspect(LockTarget target) {
		return StoreReplies.relay(target, () -> this.engine.inspect(target), this.executor);
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target) {
		return StoreReplies.relay(target, () -> this.engine.forceRelease(target), this.executor);
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target, LockState seen) {
		return StoreReplies.relay(target, () -> this.engine.forceRelease(target, seen), this.executor);
	}

	/**
	 * Run work once the lock is held.
	 * @param whenRefused reports the refusal to the caller
	 */
	private <T extends @Nullable Object> void run(LockTarget target, AcquireSettings settings,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work, CompletableFuture<T> result,
			Consumer<Refused<AsyncHandle>> whenRefused) {
		Assert.notNull(work, "work must not be null");
		AsyncWork<T> locked = new AsyncWork<>(work, result, settings.onLost(), this.executor, this.engine.cancels());
		Runnable begin = this.decorator.decorate(locked::run);
		request(target, settings, result, (lock) -> locked.begin(lock, begin), whenRefused);
	}

	/**
	 * Begin to acquire a lock. The wait ends if the caller completes the result.
	 * @param result fails if the acquisition fails
	 * @param whenRefused reports the refusal to the caller
	 */
	private void request(LockTarget target, AcquireSettings settings, CompletableFuture<?> result,
			Consumer<AsyncHandle> whenAcquired, Consumer<Refused<AsyncHandle>> whenRefused) {
		if (settings.fence() != null) {
			throw new IllegalArgumentException(
					("Lock '%s' is for asynchronous work and cannot have a fence, which needs"
							+ " the transaction of one thread: acquire the lock with LockOperations.execute")
						.formatted(target));
		}
		AsyncHandle again = this.engine.reentrance().enterForWork(target, settings, this::handle);
		if (again != null) {
			whenAcquired.accept(again);
			return;
		}
		Acquisition<AsyncHandle> acquisition = this.engine.acquire(target, settings, null, this::handle);
		// Nothing can depend on the result yet, so a failure needs no other thread.
		Executor where = acquisition.outcome().isDone() ? Runnable::run : this.executor;
		result.whenComplete((value, failure) -> {
			if (!acquisition.isEnded()) {
				acquisition.cancel(new LockCancelledException(target, acquisition.waited()));
			}
		});
		acquisition.outcome().thenAccept((outcome) -> {
			if (outcome instanceof Acquired<AsyncHandle> acquired) {
				whenAcquired.accept(acquired.lock());
			}
			else if (outcome instanceof Refused<AsyncHandle> refused) {
				StoreReplies.run(where, () -> whenRefused.accept(refused));
			}
			else {
				StoreReplies.run(where, () -> result.completeExceptionally(((Failed<AsyncHandle>) outcome).failure()));
			}
		});
	}

	private AsyncHandle handle(Hold hold, AcquireSettings settings) {
		return new AsyncHandle(hold, settings.onLost(), this.engine.callersWait(), this.executor);
	}

	/**
	 * Give a lock to its caller. If the executor never runs the task, the engine detects
	 * that the handle was dropped.
	 */
	private void give(AsyncHandle lock, CompletableFuture<? super AsyncHandle> caller) {
		StoreReplies.run(this.executor, () -> {
			if (!caller.complete(lock)) {
				lock.leave();
			}
		});
	}

	/**
	 * Return an action that fails the caller's result because the lock was refused.
	 * Called on the caller's thread, so that the failure can name a lock of the caller's
	 * work that prevented the acquisition.
	 */
	private Consumer<Refused<AsyncHandle>> failing(LockTarget target, CompletableFuture<?> result) {
		LockTarget own = this.engine.reentrance().heldByWork(target);
		return (refused) -> result.completeExceptionally(refused.failure(target, own));
	}

}
