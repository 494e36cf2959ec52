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
 * Runs users' actions when locks are lost. Each action runs on its own virtual thread
 * (JDK 21 and later) or on a pool of up to {@value #MOST_THREADS} threads, so that
 * actions need not wait for each other. Thread-safe.
 */
final class CallbackThreads implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CallbackThreads.class);

	private static final int MOST_THREADS = 128;

	private final WorkThreads threads;

	private final Set<Action> open = ConcurrentHashMap.newKeySet();

	/**
	 * Create an executor whose threads are created on first use.
	 * @param name the prefix of the thread names
	 */
	CallbackThreads(String name) {
		this(new WorkThreads(name, MOST_THREADS));
	}

	/**
	 * Create an executor that uses the given threads and closes them.
	 */
	CallbackThreads(WorkThreads threads) {
		this.threads = threads;
	}

	/**
	 * Submit an action. Never throws, so that the loss can still be reported to other
	 * listeners.
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
			logger.debug("An action on the loss of a lock was not run because its template is closed");
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
		return this.open.stream().filter((action) -> !action.isOfPresentThread()).map(Action::ended).toList();
	}

	/**
	 * Interrupt the running actions, except for the one on the current thread.
	 */
	void interrupt() {
		this.open.stream().filter((action) -> !action.isOfPresentThread()).forEach(Action::interrupt);
	}

	/**
	 * Let running actions end, and accept no new ones.
	 */
	@Override
	public void close() {
		this.threads.close();
	}

	/**
	 * An action from its submission to its end.
	 */
	private final class Action implements Runnable {

		private final Runnable task;

		private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

		/** Guarded by this object's monitor. */
		private @Nullable Thread thread;

		Action(Runnable task) {
			this.task = task;
		}

		CompletableFuture<?> ended() {
			return this.ended;
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
			this.ended.complete(null);
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
