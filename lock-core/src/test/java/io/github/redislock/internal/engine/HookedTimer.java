package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action when the clock is read, so that a test can intervene between two steps.
 * Counts the tasks that wait.
 */
final class HookedTimer implements LockTimer {

	private final LockTimer timer;

	private final long offset;

	private final Queue<Scheduled> scheduled = new ConcurrentLinkedQueue<>();

	private @Nullable Runnable nextLook;

	private @Nullable Runnable eachLook;

	HookedTimer(LockTimer timer) {
		this(timer, 0);
	}

	HookedTimer(LockTimer timer, long offset) {
		this.timer = timer;
		this.offset = offset;
	}

	void onNextLook(Runnable action) {
		this.nextLook = action;
	}

	void onEachLook(@Nullable Runnable action) {
		this.eachLook = action;
	}

	/**
	 * Return how many tasks of a class have neither run nor been cancelled.
	 */
	long pending(Class<?> scheduler) {
		return this.scheduled.stream().filter((each) -> each.isPending(scheduler)).count();
	}

	@Override
	public long nanoTime() {
		long time = this.timer.nanoTime() + this.offset;
		Runnable action = this.nextLook;
		this.nextLook = null;
		if (action != null) {
			action.run();
		}
		if (this.eachLook != null) {
			this.eachLook.run();
		}
		return time;
	}

	@Override
	public Instant now() {
		return this.timer.now();
	}

	@Override
	public Future<?> schedule(Runnable task, Duration delay) {
		Future<?> future = this.timer.schedule(task, delay);
		this.scheduled.add(new Scheduled(task, future));
		return future;
	}

	@Override
	public void close() {
		this.timer.close();
	}

	private record Scheduled(Runnable task, Future<?> future) {

		boolean isPending(Class<?> scheduler) {
			return !this.future.isDone() && this.task.getClass().getName().startsWith(scheduler.getName());
		}

	}

}
