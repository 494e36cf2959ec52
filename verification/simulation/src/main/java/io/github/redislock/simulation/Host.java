package io.github.redislock.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * The machine and the process in which an instance runs, with their clocks, timers and
 * threads. It may be stopped or suspended, and may die.
 */
public final class Host implements LockTimer, Executor {

	static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

	private static final long MILLION = 1_000_000;

	/** The longest time of a hop from one thread to another. */
	private static final long LONGEST_HOP = 40_000;

	/**
	 * The time between overdue timers and network messages after a stop. Which of them
	 * come first is random.
	 */
	private static final long AWAKENING = 200_000;

	private final VirtualTime time;

	private final Chance chance;

	/** How fast the clock gains time, in parts per million. */
	private final long drift;

	private final long monotonicOffset;

	private final Deque<Runnable> dueTimers = new ArrayDeque<>();

	private final Deque<Runnable> arrived = new ArrayDeque<>();

	private State state = State.RUNNING;

	/** Whether a task has run here since this was last asked. */
	private boolean active;

	/** How long the monotonic clock was stopped in earlier suspensions. */
	private long suspended;

	private long stoppedAt;

	/** How long this host was stopped in earlier pauses and suspensions. */
	private long stopped;

	Host(VirtualTime time, Chance chance, long drift) {
		this.time = time;
		this.chance = chance;
		this.drift = drift;
		this.monotonicOffset = chance.between(-1_000_000_000_000L, 1_000_000_000_000L);
	}

	@Override
	public long nanoTime() {
		long still = this.suspended + ((this.state == State.SUSPENDED) ? this.time.now() - this.stoppedAt : 0);
		return this.monotonicOffset + drifted(this.time.now() - still);
	}

	@Override
	public Instant now() {
		return EPOCH.plusNanos(drifted(this.time.now()));
	}

	/**
	 * Run a task after a delay, measured by the monotonic clock.
	 */
	@Override
	public Timer schedule(Runnable task, Duration delay) {
		Timer timer = new Timer(task, nanoTime() + Math.max(delay.toNanos(), 0));
		timer.await();
		return timer;
	}

	/**
	 * Run a task soon, as if on another thread.
	 */
	@Override
	public void execute(Runnable task) {
		this.time.after(this.chance.between(1_000L, LONGEST_HOP), () -> whenAwake(this.dueTimers, task));
	}

	Caller newCaller() {
		return new Caller(this, this.chance.split());
	}

	/**
	 * Run a task that the network delivers, now or when this host resumes.
	 */
	void bring(Runnable task) {
		whenAwake(this.arrived, task);
	}

	boolean isRunning() {
		return this.state == State.RUNNING;
	}

	/**
	 * Return whether a task has run on this host since the last call.
	 */
	boolean wasActive() {
		boolean before = this.active;
		this.active = false;
		return before;
	}

	boolean isDead() {
		return this.state == State.DEAD;
	}

	boolean wasSuspended() {
		return this.suspended > 0;
	}

	boolean isSuspended() {
		return this.state == State.SUSPENDED;
	}

	/**
	 * Return how long this host was stopped, in true time.
	 */
	long stopped() {
		return this.stopped + (isStopped() ? this.time.now() - this.stoppedAt : 0);
	}

	/**
	 * Return the monotonic time minus the time for which this host was stopped.
	 */
	long runningNanos() {
		return nanoTime() - stopped();
	}

	/**
	 * Stop this host. If it is suspended, its monotonic clock stops, too.
	 * @return whether it was running
	 */
	boolean stop(boolean suspend) {
		if (this.state != State.RUNNING) {
			return false;
		}
		this.state = suspend ? State.SUSPENDED : State.PAUSED;
		this.stoppedAt = this.time.now();
		return true;
	}

	/**
	 * Resume this host. Overdue timers run either before or after the messages of the
	 * network.
	 * @return whether this host was stopped
	 */
	boolean goOn() {
		if (!isStopped()) {
			return false;
		}
		long still = this.time.now() - this.stoppedAt;
		this.stopped += still;
		this.suspended += (this.state == State.SUSPENDED) ? still : 0;
		this.state = State.RUNNING;
		boolean timersFirst = this.chance.oneIn(2);
		runLater(this.dueTimers, timersFirst ? 0 : AWAKENING);
		runLater(this.arrived, timersFirst ? AWAKENING : 0);
		return true;
	}

	void die() {
		this.state = State.DEAD;
		this.dueTimers.clear();
		this.arrived.clear();
	}

	@Override
	public void close() {
		// The world closes the host together with the instance.
	}

	private boolean isStopped() {
		return this.state == State.PAUSED || this.state == State.SUSPENDED;
	}

	private void runLater(Deque<Runnable> tasks, long nanos) {
		tasks.forEach((task) -> this.time.after(nanos, () -> whenAwake(tasks, task)));
		tasks.clear();
	}

	private void whenAwake(Deque<Runnable> otherwise, Runnable task) {
		if (this.state == State.RUNNING) {
			this.active = true;
			task.run();
		}
		else if (this.state != State.DEAD) {
			otherwise.add(task);
		}
	}

	private long drifted(long nanos) {
		return drifted(nanos, this.drift);
	}

	/**
	 * Return the reading of a drifting clock after some time. The clock never goes back.
	 * @param drift the nanoseconds that the clock gains in each millisecond
	 */
	static long drifted(long nanos, long drift) {
		return nanos + nanos / MILLION * drift + nanos % MILLION * drift / MILLION;
	}

	private enum State {

		RUNNING, PAUSED, SUSPENDED, DEAD

	}

	/**
	 * A scheduled task.
	 */
	public final class Timer implements ScheduledFuture<@Nullable Void> {

		private final Runnable task;

		private final long dueAt;

		private VirtualTime.@Nullable Event event;

		private boolean cancelled;

		private boolean done;

		private Timer(Runnable task, long dueAt) {
			this.task = task;
			this.dueAt = dueAt;
		}

		private void await() {
			long rest = Math.max(this.dueAt - nanoTime(), 0);
			this.event = Host.this.time.after(rest - rest / MILLION * Host.this.drift, Host.this::isDead,
					() -> whenAwake(Host.this.dueTimers, this::run));
		}

		private void run() {
			if (this.cancelled) {
				return;
			}
			if (nanoTime() - this.dueAt < 0) {
				await();
				return;
			}
			this.done = true;
			this.task.run();
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			if (this.done || this.cancelled) {
				return false;
			}
			this.cancelled = true;
			if (this.event != null) {
				this.event.cancel();
			}
			return true;
		}

		@Override
		public boolean isCancelled() {
			return this.cancelled;
		}

		@Override
		public boolean isDone() {
			return this.done || this.cancelled;
		}

		@Override
		public @Nullable Void get() throws ExecutionException {
			throw new ExecutionException(new UnsupportedOperationException("no thread waits here"));
		}

		@Override
		public @Nullable Void get(long timeout, TimeUnit unit) throws ExecutionException {
			return get();
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(this.dueAt - nanoTime(), TimeUnit.NANOSECONDS);
		}

		@Override
		public int compareTo(Delayed other) {
			return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
		}

	}

}
