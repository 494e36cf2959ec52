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
 * Runs code of users when locks are lost. No action waits for another one: each has its
 * own virtual thread (JDK 21), otherwise one of a pool that grows up to
 * {@value #MOST_THREADS} threads. Thread-safe.
 */
final class CallbackThreads implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CallbackThreads.class);

	private static final int MOST_THREADS = 128;

	private final WorkThreads threads;

	private final Set<Action> open = ConcurrentHashMap.newKeySet();

	/**
	 * Create a runner without threads: they are created at the first use.
	 * @param name the prefix of its threads' names
	 */
	CallbackThreads(String name) {
		this(new WorkThreads(name, MOST_THREADS));
	}

	/**
	 * Create a runner on given threads, which it closes.
	 */
	CallbackThreads(WorkThreads threads) {
		this.threads = threads;
	}

	/**
	 * Run an action soon. Never fails: the loss must still be reported to others.
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
			logger.debug("An action on the loss of a lock came after the end of its template");
		}
		catch (Throwable ex) {
			action.end();
			Failures.report(logger, "No thread is available for an action on the loss of a lock", ex);
		}
	}

	/**
	 * Return the actions that have not ended, except for the calling one.
	 */
	List<? extends CompletableFuture<?>> open() {
		return this.open.stream().filter((action) -> !action.isOfPresentThread()).map(Action::ended).toList();
	}

	/**
	 * Interrupt the actions that run, except for the calling one.
	 */
	void interrupt() {
		this.open.stream().filter((action) -> !action.isOfPresentThread()).forEach(Action::interrupt);
	}

	/**
	 * Let running actions end, and accept no others.
	 */
	@Override
	public void close() {
		this.threads.close();
	}

	/**
	 * One action, from its order to its end.
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
