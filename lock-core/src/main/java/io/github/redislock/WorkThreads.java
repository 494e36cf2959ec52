package io.github.redislock;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The threads on which callers' futures are completed and their work begins: a virtual
 * thread for each task where there are any (JDK 21), otherwise one of a pool.
 * <p>
 * Without a limit, since a task may block: one that waits for a lock must not keep the
 * lock's holder from running. Threads are made when they are needed first.
 */
final class WorkThreads implements Executor, AutoCloseable {

	private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

	private static final String NAME = "redis-lock-work-";

	private final Executor threads;

	private final @Nullable ExecutorService pool;

	WorkThreads() {
		this.pool = (Runtime.version().feature() < FIRST_WITH_VIRTUAL_THREADS) ? pool() : null;
		this.threads = (this.pool != null) ? this.pool : new VirtualThreadTaskExecutor(NAME);
	}

	@Override
	public void execute(Runnable task) {
		this.threads.execute(task);
	}

	/**
	 * Let tasks end that have begun, and accept no others.
	 */
	@Override
	public void close() {
		if (this.pool != null) {
			this.pool.shutdown();
		}
	}

	private static ExecutorService pool() {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, NAME + "pool");
			thread.setDaemon(true);
			return thread;
		});
	}

}
