package io.github.redislock.benchmarks.worker;

import java.lang.reflect.Method;

/**
 * Starts platform threads and virtual threads.
 */
public final class WorkerThreads {

	private WorkerThreads() {
	}

	public static boolean hasVirtual() {
		return Runtime.version().feature() >= 21;
	}

	static Thread start(boolean virtual, Runnable task) {
		if (virtual) {
			return startVirtual(task);
		}
		Thread thread = new Thread(task);
		thread.start();
		return thread;
	}

	/**
	 * Start a virtual thread. This uses reflection, because the code is compiled for Java
	 * 17.
	 */
	private static Thread startVirtual(Runnable task) {
		try {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
			return (Thread) start.invoke(null, task);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("Virtual threads need JDK 21", ex);
		}
	}

}
