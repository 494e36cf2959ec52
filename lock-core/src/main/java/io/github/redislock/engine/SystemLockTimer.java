package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.internal.support.DaemonThreads;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A timer with the system's clocks and one daemon thread that runs due tasks.
 * <p>
 * Most tasks of a lock are cancelled long before they are due. So scheduling a task wakes
 * the thread only if the task is due before the thread would wake up anyway.
 */
final class SystemLockTimer implements LockTimer {

	private static final Log logger = LogFactory.getLog(SystemLockTimer.class);

	private static final Duration LONGEST_SLEEP = Duration.ofHours(1);

	private static final Duration LONGEST_END = Duration.ofSeconds(2);

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition earlier = this.lock.newCondition();

	private @GuardedBy("this.lock") final NavigableSet<Task> tasks = new TreeSet<>();

	private @GuardedBy("this.lock") @Nullable Thread thread;

	private @GuardedBy("this.lock") long wakeAt;

	private @GuardedBy("this.lock") long scheduled;

	private @GuardedBy("this.lock") boolean closed;

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return System.currentTimeMillis();
	}

	@Override
	public Instant now() {
		return Instant.now();
	}

	@Override
	public Future<?> schedule(Runnable action, Duration delay) {
		this.lock.lock();
		try {
			Task task = new Task(action, nanoTime() + Math.max(Durations.nanos(delay), 0), this.scheduled++);
			if (this.closed) {
				task.cancel(false);
				return task;
			}
			this.tasks.add(task);
			if (this.thread == null) {
				this.wakeAt = task.dueAt;
				Thread started = DaemonThreads.create("redis-lock-timer", this::run);
				started.start();
				this.thread = started;
			}
			else if (task.dueAt - this.wakeAt < 0) {
				this.wakeAt = task.dueAt;
				this.earlier.signal();
			}
			return task;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Drop all tasks, and wait a while for the thread to end.
	 */
	@Override
	public void close() {
		Thread running;
		this.lock.lock();
		try {
			this.closed = true;
			this.tasks.clear();
			this.earlier.signal();
			running = this.thread;
		}
		finally {
			this.lock.unlock();
		}
		if (running == null || running.equals(Thread.currentThread())) {
			return;
		}
		try {
			running.join(LONGEST_END.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		for (Task task = take(); task != null; task = take()) {
			task.run();
		}
	}

	/**
	 * Wait for the next due task.
	 * @return {@code null} when the timer is closed
	 */
	private @Nullable Task take() {
		this.lock.lock();
		try {
			while (!this.closed) {
				Task first = this.tasks.isEmpty() ? null : this.tasks.first();
				long now = nanoTime();
				if (first != null && first.dueAt - now <= 0) {
					this.tasks.remove(first);
					return first;
				}
				this.wakeAt = (first != null) ? first.dueAt : now + Durations.nanos(LONGEST_SLEEP);
				try {
					this.earlier.awaitNanos(this.wakeAt - now);
				}
				catch (InterruptedException ex) {
					logger.debug("The timer's thread was interrupted; it continues");
				}
			}
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private final class Task extends FutureTask<@Nullable Void> implements Comparable<Task> {

		private final long dueAt;

		private final long number;

		Task(Runnable action, long dueAt, long number) {
			super(action, null);
			this.dueAt = dueAt;
			this.number = number;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(false);
			if (cancelled) {
				SystemLockTimer.this.lock.lock();
				try {
					SystemLockTimer.this.tasks.remove(this);
				}
				finally {
					SystemLockTimer.this.lock.unlock();
				}
			}
			return cancelled;
		}

		@Override
		protected void setException(Throwable failure) {
			super.setException(failure);
			Failures.report(logger, "A task of a lock timer failed", failure);
		}

		@Override
		public int compareTo(Task other) {
			long difference = this.dueAt - other.dueAt;
			return (difference != 0) ? Long.signum(difference) : Long.compare(this.number, other.number);
		}

	}

}
