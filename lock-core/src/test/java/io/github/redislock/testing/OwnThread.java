package io.github.redislock.testing;

import org.awaitility.Awaitility;

/**
 * Runs each task on a new thread. The common pool of a small machine has one worker. A
 * task that waits there delays all others, and two tasks that want the same lock would
 * reenter it on one thread.
 */
public final class OwnThread {

	private OwnThread() {
	}

	/**
	 * Start a task.
	 */
	public static void run(Runnable task) {
		start(task);
	}

	/**
	 * Start a task and return its thread.
	 */
	public static Thread start(Runnable task) {
		Thread thread = new Thread(task, "own-thread");
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/**
	 * Wait until a thread waits or has ended. Only then has it registered the stages that
	 * follow its request.
	 */
	public static void awaitRest(Thread thread) {
		Awaitility.await("thread that waits")
			.until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED);
	}

}
