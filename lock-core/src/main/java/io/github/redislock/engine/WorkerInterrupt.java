package io.github.redislock.engine;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts a thread that runs work whose lock is lost, but never after the end of the
 * work.
 * <p>
 * One for each thread with such work, shared by nested work: a thread has only one
 * interrupt flag. Thread-safe.
 */
final class WorkerInterrupt {

	private static final ThreadLocal<@Nullable WorkerInterrupt> PRESENT = new ThreadLocal<>();

	private final Thread worker = Thread.currentThread();

	/** Used by the worker only. */
	private final Deque<Work> works = new ArrayDeque<>(2);

	/**
	 * Everything below, and the state of each work, is guarded by this object's monitor.
	 * The number of unfinished works that were notified of their loss.
	 */
	private int lost;

	/** The thread was interrupted from elsewhere before we did it. */
	private boolean interruptedBefore;

	private WorkerInterrupt() {
	}

	/**
	 * Begin work that is interrupted when its lock is lost.
	 * @return to be ended by the same thread before the lock is released
	 */
	static Work begin(BlockingHandle lock) {
		WorkerInterrupt present = PRESENT.get();
		if (present == null) {
			present = new WorkerInterrupt();
			PRESENT.set(present);
		}
		return present.add(lock);
	}

	private Work add(BlockingHandle lock) {
		Work work = new Work(lock);
		// Surrounding work under the same hold is already notified.
		boolean told = this.works.stream().anyMatch(work::hasSameLock);
		this.works.push(work);
		if (!told) {
			lock.whenLost(work::interrupt);
		}
		return work;
	}

	private synchronized void interruptWorker() {
		if (this.lost++ == 0) {
			this.interruptedBefore = this.worker.isInterrupted();
		}
		this.worker.interrupt();
	}

	private synchronized void restoreFlag() {
		this.lost--;
		if (this.lost > 0) {
			// The ended work may have consumed the interrupt of the
			// surrounding work.
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

		private final BlockingHandle lock;

		private boolean over;

		private boolean told;

		private Work(BlockingHandle lock) {
			this.lock = lock;
		}

		/**
		 * End the work: from now on its loss neither interrupts the thread nor sets its
		 * flag.
		 */
		void end() {
			synchronized (WorkerInterrupt.this) {
				this.over = true;
				if (this.told) {
					restoreFlag();
				}
			}
			WorkerInterrupt.this.works.pop();
			if (WorkerInterrupt.this.works.isEmpty()) {
				PRESENT.remove();
			}
		}

		private void interrupt() {
			synchronized (WorkerInterrupt.this) {
				if (!this.over) {
					this.told = true;
					interruptWorker();
				}
			}
		}

		private boolean hasSameLock(Work other) {
			return this.lock.fencingToken() == other.lock.fencingToken() && this.lock.name().equals(other.lock.name());
		}

	}

}
