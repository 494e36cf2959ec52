package io.github.redislock.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * The end of a future without callbacks, such as an executor's. A thread waits for it: a
 * virtual one on JDK 21.
 */
final class AwaitedFuture extends CompletableFuture<@Nullable Object> {

	private static final SimpleAsyncTaskExecutor THREADS = threads();

	private final Future<?> future;

	private AwaitedFuture(Future<?> future) {
		this.future = future;
	}

	/**
	 * Return a future that calls back when another one has ended.
	 */
	static CompletionStage<? extends @Nullable Object> of(Future<?> future) {
		if (future instanceof CompletionStage<?> stage) {
			return stage;
		}
		AwaitedFuture awaited = new AwaitedFuture(future);
		if (future.isDone()) {
			awaited.await();
		}
		else {
			THREADS.execute(awaited::await);
		}
		return awaited;
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		this.future.cancel(mayInterruptIfRunning);
		return super.cancel(mayInterruptIfRunning);
	}

	private void await() {
		try {
			complete(this.future.get());
		}
		catch (ExecutionException ex) {
			completeExceptionally((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (Throwable ex) {
			// The exception's type marks a cancellation.
			completeExceptionally(ex);
		}
	}

	private static SimpleAsyncTaskExecutor threads() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("redis-lock-future-");
		executor.setVirtualThreads(Runtime.version().feature() >= 21);
		executor.setDaemon(true);
		return executor;
	}

}
