package io.github.redislock.internal.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.redislock.internal.support.DaemonThreads;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Creates executors that run tasks, each on its own virtual thread (JDK 21 and later) or
 * all on a thread pool.
 */
final class WorkThreads {

	private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

	private WorkThreads() {
	}

	/**
	 * Create an executor with its own threads.
	 * @param name the prefix of the thread names
	 * @param most the maximum number of threads, unless they are virtual
	 */
	static Executor create(String name, int most) {
		return (Runtime.version().feature() < FIRST_WITH_VIRTUAL_THREADS) ? pool(name, most)
				: new VirtualThreadTaskExecutor(name);
	}

	/**
	 * Shut down a thread pool. Submitted tasks still run. Virtual threads need no
	 * shutdown.
	 */
	static void close(Executor threads) {
		if (threads instanceof ExecutorService pool) {
			pool.shutdown();
		}
	}

	private static ExecutorService pool(String name, int most) {
		boolean bounded = most < Integer.MAX_VALUE;
		ThreadPoolExecutor pool = new ThreadPoolExecutor(bounded ? most : 0, most, 5, TimeUnit.SECONDS,
				bounded ? new LinkedBlockingQueue<>() : new SynchronousQueue<>(),
				(task) -> DaemonThreads.create(name + "pool", task));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

}
