package io.github.redislock.testing;

/**
 * Runs each task on a new thread. The common pool of a small machine has one worker, so
 * that a task which waits there holds up all others, and two tasks that want the same
 * lock are one thread, which enters it again.
 */
public final class OwnThread {

	private OwnThread() {
	}

	/**
	 * Start a task.
	 */
	public static void run(Runnable task) {
		Thread thread = new Thread(task, "own-thread");
		thread.setDaemon(true);
		thread.start();
	}

}
