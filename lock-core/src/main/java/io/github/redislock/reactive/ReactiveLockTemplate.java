package io.github.redislock.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.Assert;

/**
 * Acquires and holds locks for reactive callers.
 */
public class ReactiveLockTemplate implements ReactiveLockOperations {

	private final AsyncLockOperations locks;

	/**
	 * Create reactive operations on the locks of a template.
	 * @param locks the template; signals are emitted on {@code Schedulers.parallel()}
	 */
	public ReactiveLockTemplate(LockOperations locks) {
		this(locks.async((task) -> Schedulers.parallel().schedule(task)));
	}

	/**
	 * Create reactive operations on any locks.
	 * @param locks the operations; signals are emitted on the threads that complete their
	 * futures
	 */
	public ReactiveLockTemplate(AsyncLockOperations locks) {
		this.locks = locks;
	}

	@Override
	public Mono<ReactiveLockHandle> acquire(LockTarget target, LockOptions options) {
		return acquire(() -> this.locks.acquire(target, options));
	}

	@Override
	public Mono<ReactiveLockHandle> tryAcquire(LockTarget target, LockOptions options) {
		return acquire(() -> this.locks.tryAcquire(target, options));
	}

	@Override
	public <T> Mono<T> execute(LockTarget target, LockOptions options, Mono<T> work) {
		Assert.notNull(work, "work must not be null");
		return Mono.deferContextual((context) -> Mono
			.fromFuture(() -> ReactiveLockContext.call(context, () -> this.locks.<@Nullable T>execute(target, options,
					(lock) -> SubscribedFuture.of(work, ReactiveLockContext.with(context, lock))))));
	}

	@Override
	public <T> Flux<T> execute(LockTarget target, LockOptions options, Flux<T> work) {
		Assert.notNull(work, "work must not be null");
		return Flux.deferContextual((context) -> {
			LockedFlux<T> locked = new LockedFlux<>(work);
			return locked.run((task) -> ReactiveLockContext.call(context,
					() -> this.locks.<@Nullable Void>execute(target, options, task)));
		});
	}

	@Override
	public Mono<Boolean> tryExecute(LockTarget target, LockOptions options, Mono<?> work) {
		Assert.notNull(work, "work must not be null");
		return Mono.deferContextual(
				(context) -> Mono.fromFuture(() -> ReactiveLockContext.call(context, () -> this.locks.tryExecute(target,
						options, (lock) -> SubscribedFuture.of(work, ReactiveLockContext.with(context, lock))))));
	}

	@Override
	public Mono<LockState> inspect(LockTarget target) {
		return Mono.fromFuture(() -> this.locks.inspect(target)).mapNotNull((state) -> state.orElse(null));
	}

	@Override
	public Mono<Boolean> forceRelease(LockTarget target) {
		return Mono.fromFuture(() -> this.locks.forceRelease(target), true);
	}

	@Override
	public Mono<Boolean> forceRelease(LockTarget target, LockState seen) {
		return Mono.fromFuture(() -> this.locks.forceRelease(target, seen), true);
	}

	private static Mono<ReactiveLockHandle> acquire(
			Supplier<CompletableFuture<? extends @Nullable AsyncLockHandle>> request) {
		return Mono.create((sink) -> {
			CompletableFuture<? extends @Nullable AsyncLockHandle> acquired = ReactiveLockContext
				.call(sink.contextView(), request::get);
			AtomicBoolean cancelled = new AtomicBoolean();
			sink.onCancel(() -> {
				cancelled.set(true);
				if (!acquired.cancel(true)) {
					// The lock was granted at the moment of the cancellation.
					acquired.thenAccept(ReactiveLockTemplate::release);
				}
			});
			acquired.whenComplete((lock, failure) -> {
				if (failure == null) {
					sink.success((lock != null) ? new ReactiveLockHandle(lock) : null);
				}
				else if (!cancelled.get()) {
					// A subscriber that has cancelled gets no error signal.
					sink.error(failure);
				}
			});
		});
	}

	private static void release(@Nullable AsyncLockHandle lock) {
		if (lock != null) {
			lock.release();
		}
	}

}
