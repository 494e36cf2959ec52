package io.github.redislock.internal.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.internal.support.Futures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs the actions that follow the loss of a lock. Each action runs on its own virtual
 * thread (JDK 21 and later) or on a pool of up to {@value #MOST_THREADS} threads, so that
 * actions rarely wait for each other. Thread-safe.
 */
final class CallbackThreads implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CallbackThreads.class);

	static final int MOST_THREADS = 128;

	private final Executor threads;

	private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();

	CallbackThreads(Executor threads) {
		this.threads = threads;
	}

	/**
	 * Submit an action. If it cannot be run or fails, that is only logged, so that the
	 * loss can still be reported to listeners.
	 */
	@Override
	public void execute(Runnable task) {
		try {
			CompletableFuture<Void> action = CompletableFuture.runAsync(task, this.threads);
			this.open.add(action);
			action.whenComplete((done, failure) -> {
				this.open.remove(action);
				if (failure != null) {
					Failures.report(logger, "An action on the loss of a lock failed", Futures.unwrap(failure));
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("An action on the loss of a lock was rejected, probably because its template is closed");
		}
		catch (Throwable ex) {
			Failures.report(logger, "No thread is available for an action on the loss of a lock", ex);
		}
	}

	/**
	 * Return a future that completes when all actions that run now have ended.
	 */
	CompletableFuture<Void> settled() {
		return CompletableFuture.allOf(this.open.toArray(CompletableFuture[]::new));
	}

	/**
	 * Shut down the thread pool, if there is one. Submitted actions still run.
	 */
	@Override
	public void close() {
		WorkThreads.close(this.threads);
	}

}
