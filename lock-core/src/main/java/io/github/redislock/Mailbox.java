package io.github.redislock;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs tasks one after the other, in the order in which they come, on the threads that
 * bring them.
 * <p>
 * What only its tasks touch needs no lock, a task may call out, and a task that brings
 * another one never runs it inside itself. Nobody waits: who comes while a task runs
 * leaves his own behind.
 */
final class Mailbox {

	private static final Log logger = LogFactory.getLog(Mailbox.class);

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicInteger unfinished = new AtomicInteger();

	/**
	 * Run a task, now or after those before it.
	 */
	void run(Runnable task) {
		this.tasks.add(task);
		if (this.unfinished.getAndIncrement() == 0) {
			do {
				runNext();
			}
			while (this.unfinished.decrementAndGet() != 0);
		}
	}

	private void runNext() {
		Runnable task = this.tasks.remove();
		try {
			task.run();
		}
		catch (Throwable ex) {
			// Whatever it is, those who come next must not wait for ever.
			logger.error("A step of the lock engine failed", ex);
		}
	}

}
