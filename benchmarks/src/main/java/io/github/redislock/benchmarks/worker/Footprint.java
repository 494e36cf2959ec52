package io.github.redislock.benchmarks.worker;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/**
 * The resources that this process uses.
 */
final class Footprint {

	private Footprint() {
	}

	static Message measure() {
		return Message.of("ok")
			.with("nanos", System.nanoTime())
			.with("cpuNanos", cpuNanos())
			.with("threads", ManagementFactory.getThreadMXBean().getThreadCount());
	}

	/**
	 * Return how many bytes the current thread has allocated.
	 */
	static long allocated() {
		com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
		return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	/**
	 * Return how many bytes of the heap are in use after garbage collection.
	 */
	static Message liveHeap() {
		long least = Long.MAX_VALUE;
		for (int attempt = 0; attempt < 4; attempt++) {
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return Message.of("ok").with("heap", least);
	}

	private static long cpuNanos() {
		OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
		return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime();
	}

}
