package io.github.redislock.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * A clock that moves only when a test advances it.
 * <p>
 * If a template and an {@link InMemoryLockStore} share this clock, their leases, renewals
 * and waiting times progress only with {@link #advance(Duration)}, which runs due tasks
 * on the calling thread. While a caller waits for a lock, another thread therefore has to
 * move the clock. Thread-safe.
 */
public final class ManualLockTimer implements LockTimer {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final AtomicLong sequence = new AtomicLong();

	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.comparingLong(Task::dueAt).thenComparingLong(Task::order));

	private long nanos;

	@Override
	public synchronized long nanoTime() {
		return this.nanos;
	}

	@Override
	public synchronized Instant now() {
		return START.plusNanos(this.nanos);
	}

	@Override
	public synchronized Future<?> schedule(Runnable task, Duration delay) {
		FutureTask<?> future = new FutureTask<>(task, null);
		long delayNanos = Math.max(delay.toNanos(), 0);
		this.tasks.add(new Task(this.nanos + delayNanos, this.sequence.incrementAndGet(), future));
		return future;
	}

	/**
	 * Move the clock forward. The tasks that become due run on this thread, each at its
	 * own time. Call this from one thread at a time, while no other thread begins to use
	 * a lock: a delay that another thread has just computed counts from the new time.
	 * @param duration the time to move by; not negative
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("a clock for leases cannot run backwards");
		}
		long end;
		synchronized (this) {
			end = this.nanos + duration.toNanos();
		}
		for (Task due = next(end); due != null; due = next(end)) {
			due.future().run();
		}
	}

	@Override
	public synchronized void close() {
		this.tasks.clear();
	}

	private synchronized @Nullable Task next(long end) {
		Task first = this.tasks.peek();
		if (first == null || first.dueAt() > end) {
			this.nanos = Math.max(this.nanos, end);
			return null;
		}
		this.nanos = Math.max(this.nanos, first.dueAt());
		return this.tasks.poll();
	}

	private record Task(long dueAt, long order, FutureTask<?> future) {
	}

}
