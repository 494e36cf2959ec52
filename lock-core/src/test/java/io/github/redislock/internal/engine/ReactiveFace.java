package io.github.redislock.internal.engine;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.reactive.ReactiveLockContext;
import io.github.redislock.reactive.ReactiveLockHandle;
import io.github.redislock.reactive.ReactiveLockOperations;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Subscribers that subscribe immediately. Cancelling a wait disposes of the subscription.
 */
final class ReactiveFace implements AsyncLockOperations {

	/** The context of the work that is being subscribed to. */
	private static final ThreadLocal<ContextView> CONTEXT = ThreadLocal.withInitial(Context::empty);

	private final ReactiveLockOperations locks;

	ReactiveFace(ReactiveLockOperations locks) {
		this.locks = locks;
	}

	@Override
	public CompletableFuture<AsyncLockHandle> acquire(LockTarget target, LockOptions options) {
		return subscribe(this.locks.acquire(target, options).map(ReactiveFace::handle));
	}

	@Override
	public CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(LockTarget target, LockOptions options) {
		return subscribe(this.locks.tryAcquire(target, options).map(ReactiveFace::handle));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return subscribe(this.locks.execute(target, options, mono(work)));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return subscribe(this.locks.tryExecute(target, options, mono(work)));
	}

	@Override
	public CompletableFuture<Optional<LockState>> inspect(LockTarget target) {
		return subscribe(this.locks.inspect(target).map(Optional::of).defaultIfEmpty(Optional.empty()));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target) {
		return subscribe(this.locks.forceRelease(target));
	}

	@Override
	public CompletableFuture<Boolean> forceRelease(LockTarget target, LockState seen) {
		return subscribe(this.locks.forceRelease(target, seen));
	}

	private static <T> Mono<T> mono(Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return ReactiveLockContext.current()
			.flatMap((lock) -> Mono
				.deferContextual((context) -> Mono.fromCompletionStage(() -> within(context, work, handle(lock)))));
	}

	private static <T> CompletionStage<T> within(ContextView context,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work, AsyncLockHandle lock) {
		ContextView outer = CONTEXT.get();
		CONTEXT.set(context);
		try {
			return work.apply(lock);
		}
		finally {
			CONTEXT.set(outer);
		}
	}

	@SuppressWarnings("unchecked")
	private static <T> CompletableFuture<T> subscribe(Mono<? extends T> mono) {
		return (CompletableFuture<T>) mono.contextWrite(CONTEXT.get()).toFuture();
	}

	private static AsyncLockHandle handle(ReactiveLockHandle lock) {
		return HandleAsFutures.of(lock, (call) -> subscribe(Mono.defer(() -> mono(call))));
	}

	private static Mono<?> mono(Callable<?> call) {
		try {
			return (Mono<?>) call.call();
		}
		catch (Exception ex) {
			return Mono.error(ex);
		}
	}

}
