package io.github.redislock.reactive;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.internal.support.LateWork;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * One subscription to work with several results, under a lock.
 * <p>
 * The code that holds the lock sees the work as a single future, which completes when the
 * work ends.
 *
 * @param <T> the type of the results
 */
final class LockedFlux<T> {

	private final Flux<T> work;

	private final Sinks.Empty<Void> cancelled = Sinks.empty();

	/** Completes when the work ends. Cancelling it cancels the work first. */
	private final CompletableFuture<@Nullable Void> ended = SubscribedFuture
		.of(Mono.<Void>never().doOnCancel(this.cancelled::tryEmitEmpty), Context.empty());

	private volatile @Nullable Throwable failure;

	LockedFlux(Flux<T> work) {
		this.work = work;
	}

	/**
	 * Return the results of the work.
	 * @param executor runs the work under the lock. When the work's future has completed,
	 * the executor releases the lock and then completes its own future
	 */
	Flux<T> run(Executor executor) {
		return Flux.usingWhen(begin(executor), Locked::results, Locked::complete, Locked::fail, Locked::cancel)
			.onErrorMap((failed) -> Objects.requireNonNullElse(this.failure, failed));
	}

	private Mono<Locked> begin(Executor executor) {
		return Mono.create((sink) -> {
			CompletableFuture<AsyncLockHandle> begun = new CompletableFuture<>();
			CompletableFuture<@Nullable Void> result = executor.execute((lock) -> {
				begun.complete(lock);
				return this.ended;
			});
			AtomicBoolean cancelled = new AtomicBoolean();
			sink.onCancel(() -> {
				cancelled.set(true);
				result.cancel(true);
			});
			begun.thenAccept((lock) -> sink.success(new Locked(lock, result)));
			result.whenComplete((nothing, refused) -> {
				if (!begun.isDone() && !cancelled.get()) {
					sink.error(refused);
				}
			});
		});
	}

	/**
	 * Runs work under a lock.
	 */
	@FunctionalInterface
	interface Executor {

		CompletableFuture<@Nullable Void> execute(Function<AsyncLockHandle, CompletionStage<@Nullable Void>> work);

	}

	/**
	 * The work while its lock is held.
	 */
	private final class Locked {

		private final AsyncLockHandle lock;

		private final CompletableFuture<@Nullable Void> result;

		private Locked(AsyncLockHandle lock, CompletableFuture<@Nullable Void> result) {
			this.lock = lock;
			this.result = result;
		}

		private Flux<T> results() {
			Publisher<T> underLock = this::subscribe;
			return Flux.from(underLock)
				.map((value) -> LateWork.requireNone(this.lock.target(), value))
				.takeUntilOther(LockedFlux.this.cancelled.asMono())
				.contextWrite((own) -> ReactiveLockContext.with(own, this.lock));
		}

		private void subscribe(Subscriber<? super T> subscriber) {
			this.lock.call(() -> {
				LockedFlux.this.work.subscribe(subscriber);
				return true;
			});
		}

		private Mono<Void> complete() {
			LockedFlux.this.ended.complete(null);
			return ended();
		}

		private Mono<Void> fail(Throwable failed) {
			LockedFlux.this.ended.completeExceptionally(failed);
			return ended().onErrorComplete();
		}

		private Mono<Void> cancel() {
			LockedFlux.this.ended.cancel(true);
			return ended().onErrorComplete();
		}

		/**
		 * Return a publisher that completes when the lock is released. A failure is
		 * stored, so that the subscriber gets it instead of the failure of a clean-up.
		 */
		private Mono<Void> ended() {
			return Mono.fromFuture(this.result, true).doOnError((reported) -> LockedFlux.this.failure = reported);
		}

	}

}
