package io.github.redislock.internal.support;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Creates threads that do not keep the JVM running.
 */
public final class DaemonThreads {

	private static final int IDLE_SECONDS = 10;

	private DaemonThreads() {
	}

	public static Thread create(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Return an executor with one thread, which ends after 10 seconds without work.
	 */
	public static ScheduledExecutorService timer(String name) {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> create(name, task));
		executor.setRemoveOnCancelPolicy(true);
		executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
