package io.github.redislock.internal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs work whose lock was lost, but never after the end of
 * the work.
 * <p>
 * There is one instance for each thread with such work, shared by nested work, because a
 * thread has only one interrupt flag. Thread-safe.
 */
final class WorkerInterrupt {

	private static final ThreadLocal<@Nullable WorkerInterrupt> PRESENT = new ThreadLocal<>();

	private final Thread worker = Thread.currentThread();

	/** The number of nested pieces of work. Used by the worker only. */
	private int works;

	/**
	 * The number of unfinished pieces of work that were interrupted. The state of each
	 * {@link Work} is guarded by this object's monitor, too.
	 */
	private @GuardedBy("this") int lost;

	/** Whether the thread was interrupted from elsewhere before we interrupted it. */
	private @GuardedBy("this") boolean interruptedBefore;

	private WorkerInterrupt() {
	}

	/**
	 * Begin work that is interrupted when its lock is lost.
	 * @return the work, which the same thread has to end before the lock is released
	 */
	static Work begin(BlockingHandle lock) {
		WorkerInterrupt present = PRESENT.get();
		if (present == null) {
			present = new WorkerInterrupt();
			PRESENT.set(present);
		}
		Work work = present.new Work();
		present.works++;
		lock.whenLost(work::interrupt);
		return work;
	}

	private synchronized void restoreFlag() {
		this.lost--;
		if (this.lost > 0) {
			// The work that ended may have consumed the interrupt of the surrounding
			// work.
			this.worker.interrupt();
		}
		else if (!this.interruptedBefore) {
			Thread.interrupted();
		}
	}

	/**
	 * Work under one lock.
	 */
	final class Work {

		private boolean over;

		private boolean interrupted;

		/**
		 * End the work. After that, the loss of its lock neither interrupts the thread
		 * nor leaves its flag set.
		 */
		void end() {
			synchronized (WorkerInterrupt.this) {
				this.over = true;
				if (this.interrupted) {
					restoreFlag();
				}
			}
			WorkerInterrupt.this.works--;
			if (WorkerInterrupt.this.works == 0) {
				PRESENT.remove();
			}
		}

		private void interrupt() {
			synchronized (WorkerInterrupt.this) {
				if (this.over) {
					return;
				}
				this.interrupted = true;
				if (WorkerInterrupt.this.lost++ == 0) {
					WorkerInterrupt.this.interruptedBefore = WorkerInterrupt.this.worker.isInterrupted();
				}
				WorkerInterrupt.this.worker.interrupt();
			}
		}

	}

}
