package io.github.redislock.internal.support;

/**
 * Creates threads that do not keep the JVM running.
 */
public final class DaemonThreads {

	private DaemonThreads() {
	}

	public static Thread create(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	}

}
