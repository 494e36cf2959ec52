package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts a thread that runs work whose lock is lost, and never after it has left the
 * work.
 * <p>
 * One for each thread with such work, shared by work within work: a thread has only one
 * interrupt flag. Thread-safe.
 */
final class WorkerInterrupt {

	private static final ThreadLocal<@Nullable WorkerInterrupt> PRESENT = new ThreadLocal<>();

	private final Thread worker = Thread.currentThread();

	/** Everything below, and the state of works, is guarded by this object's monitor. */
	private int works;

	/** How many works that the thread has not left yet were told of their loss. */
	private int lost;

	/** Somebody else had interrupted the thread before we did. */
	private boolean interruptedBefore;

	private WorkerInterrupt() {
	}

	/**
	 * Begin work that is interrupted when a lock is lost.
	 * @return to be left by the same thread before the lock is let go
	 */
	static Work enter(LockHandle lock) {
		WorkerInterrupt present = PRESENT.get();
		if (present == null) {
			present = new WorkerInterrupt();
			PRESENT.set(present);
		}
		Work work = present.new Work();
		present.works++;
		lock.onLost(work::interrupt);
		return work;
	}

	/**
	 * Work under one lock.
	 */
	final class Work {

		private boolean over;

		private boolean told;

		private void interrupt() {
			synchronized (WorkerInterrupt.this) {
				if (this.over) {
					return;
				}
				this.told = true;
				if (WorkerInterrupt.this.lost++ == 0) {
					WorkerInterrupt.this.interruptedBefore = WorkerInterrupt.this.worker.isInterrupted();
				}
				WorkerInterrupt.this.worker.interrupt();
			}
		}

		/**
		 * Leave the work: from now on nobody interrupts the thread for it, and its flag
		 * is not set for it any more.
		 */
		void leave() {
			synchronized (WorkerInterrupt.this) {
				this.over = true;
				if (this.told) {
					WorkerInterrupt.this.lost--;
					restoreFlag();
				}
			}
			if (--WorkerInterrupt.this.works == 0) {
				PRESENT.remove();
			}
		}

		private void restoreFlag() {
			if (WorkerInterrupt.this.lost > 0) {
				// What has just ended may have used up the interrupt of the work around
				// it.
				WorkerInterrupt.this.worker.interrupt();
			}
			else if (!WorkerInterrupt.this.interruptedBefore) {
				Thread.interrupted();
			}
		}

	}

}
