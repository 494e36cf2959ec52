package io.github.redislock.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the actions that follow the loss of a lock. Each action runs on its own virtual
 * thread (JDK 21 and later) or on a pool of up to {@value #MOST_THREADS} threads, so that
 * actions rarely wait for each other. Thread-safe.
 */
final class CallbackThreads implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CallbackThreads.class);

	static final int MOST_THREADS = 128;

	private final WorkThreads threads;

	private final Set<Action> open = ConcurrentHashMap.newKeySet();

	CallbackThreads(WorkThreads threads) {
		this.threads = threads;
	}

	/**
	 * Submit an action. If it cannot be run, that is only logged, so that the loss can
	 * still be reported to listeners.
	 */
	@Override
	public void execute(Runnable task) {
		Action action = new Action(task);
		this.open.add(action);
		try {
			this.threads.execute(action);
		}
		catch (RejectedExecutionException ex) {
			action.end();
			logger.debug("An action on the loss of a lock was rejected, probably because its template is closed");
		}
		catch (Throwable ex) {
			action.end();
			Failures.report(logger, "No thread is available for an action on the loss of a lock", ex);
		}
	}

	/**
	 * Return the actions that have not ended, except for the one on the current thread.
	 */
	List<? extends CompletableFuture<?>> open() {
		return this.open.stream().filter((action) -> !action.isOfPresentThread()).toList();
	}

	/**
	 * Interrupt the running actions, except for the one on the current thread.
	 */
	void interrupt() {
		this.open.stream().filter((action) -> !action.isOfPresentThread()).forEach(Action::interrupt);
	}

	/**
	 * Shut down the thread pool, if there is one. Submitted actions still run.
	 */
	@Override
	public void close() {
		this.threads.close();
	}

	/**
	 * An action, which completes as a future when it has run or was rejected.
	 */
	private final class Action extends CompletableFuture<@Nullable Void> implements Runnable {

		private final Runnable task;

		/** Guarded by this object's monitor. */
		private @Nullable Thread thread;

		Action(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			setThread(Thread.currentThread());
			try {
				this.task.run();
			}
			finally {
				setThread(null);
				end();
			}
		}

		void end() {
			CallbackThreads.this.open.remove(this);
			complete(null);
		}

		private synchronized void setThread(@Nullable Thread thread) {
			this.thread = thread;
		}

		synchronized boolean isOfPresentThread() {
			return Thread.currentThread().equals(this.thread);
		}

		synchronized void interrupt() {
			if (this.thread != null) {
				this.thread.interrupt();
			}
		}

	}

}
