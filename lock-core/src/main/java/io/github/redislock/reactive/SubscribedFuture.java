package io.github.redislock.reactive;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A future for the result of a subscription. Cancelling it ends the subscription first,
 * because the lock may be released as soon as the future has completed.
 *
 * @param <T> the type of the value
 */
final class SubscribedFuture<T> extends CompletableFuture<@Nullable T> {

	private final Disposable.Swap subscription = Disposables.swap();

	static <T> SubscribedFuture<T> of(Mono<T> work, Context context) {
		SubscribedFuture<T> future = new SubscribedFuture<>();
		future.subscription.replace(
				work.subscribe(future::complete, future::completeExceptionally, () -> future.complete(null), context));
		return future;
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		this.subscription.dispose();
		return super.cancel(mayInterruptIfRunning);
	}

}
