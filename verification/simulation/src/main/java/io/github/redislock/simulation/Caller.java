package io.github.redislock.simulation;

import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * An application thread that blocks. It is a real thread, but while it runs, the world's
 * thread waits until this thread blocks or has nothing to do. So only one thread runs at
 * any moment, and the seed determines which one.
 */
final class Caller implements Executor {

	/** The CPU time of callers that have ended, in nanoseconds. */
	private static final AtomicLong BUSY_NANOS = new AtomicLong();

	private static final AtomicInteger COUNT = new AtomicInteger();

	private final Host host;

	private final Chance chance;

	private final CallerThread thread = CallerThread.of(this);

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private State state = State.NEW;

	private @Nullable Wait wait;

	/** The number of attempts that are not finished. */
	private int open;

	private boolean interruptedAtReply;

	private boolean interrupted;

	private long interruptedAt;

	private boolean givesBack;

	private @Nullable Throwable failure;

	Caller(Host host, Chance chance) {
		this.host = host;
		this.chance = chance;
	}

	/**
	 * Return the caller whose thread is running.
	 * @return {@code null} if the world's thread is running
	 */
	static @Nullable Caller present() {
		return (Thread.currentThread() instanceof CallerThread thread) ? thread.caller : null;
	}

	/**
	 * Return the number of callers that have begun but not ended, in all worlds.
	 */
	static int count() {
		return COUNT.get();
	}

	static long busyNanos() {
		return BUSY_NANOS.get();
	}

	/**
	 * Run a task on this thread after the current one, unless the thread has ended.
	 * Called by the world.
	 */
	@Override
	public void execute(Runnable task) {
		if (this.state == State.ENDED) {
			return;
		}
		this.tasks.add(task);
		if (this.wait == null) {
			run();
		}
	}

	boolean isOf(Host other) {
		return this.host == other;
	}

	/**
	 * Record that an attempt begins. The thread runs until all attempts are finished.
	 */
	void begin() {
		this.open++;
	}

	void end() {
		this.open--;
	}

	/**
	 * Interrupt this thread. Called by the world.
	 * @return whether this thread was in an interruptible wait
	 */
	boolean interrupt() {
		if (this.state == State.ENDED) {
			return false;
		}
		noteInterrupt();
		Wait present = this.wait;
		if (present == null || !present.interruptible || present.done.isDone()) {
			return false;
		}
		present.interrupted = true;
		this.host.execute(() -> resume(present));
		return true;
	}

	/**
	 * Interrupt this thread when the reply to its next interruptible wait arrives, so
	 * that the thread misses the reply.
	 */
	void interruptAtReply() {
		this.interruptedAtReply = true;
	}

	boolean wasInterrupted() {
		return this.interrupted;
	}

	/**
	 * Return the time since the last interrupt, without the time for which the host was
	 * stopped.
	 */
	long sinceInterrupt() {
		return this.host.runningNanos() - this.interruptedAt;
	}

	/**
	 * Return whether this thread was interrupted while it waited, and missed the reply
	 * that came at the same moment. If the reply was a grant, the thread releases the
	 * lock.
	 */
	boolean givesBack() {
		return this.givesBack;
	}

	/**
	 * End this thread, whatever it is doing. Called by the world.
	 */
	void abandon() {
		if (this.state == State.RUNNING) {
			this.state = State.ABANDONED;
			run();
		}
	}

	/**
	 * Block this thread until a future is done.
	 * @throws InterruptedException if the thread noticed an interrupt first
	 */
	void await(CompletableFuture<?> done, boolean interruptible) throws InterruptedException {
		if (done.isDone()) {
			return;
		}
		if (interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		Wait present = new Wait(done, interruptible);
		this.wait = present;
		done.whenComplete((result, thrown) -> replied(present));
		this.thread.pause();
		this.wait = null;
		if (this.state == State.ABANDONED) {
			throw new AbandonedError();
		}
		// A reply that came before the interrupt is always seen.
		if (present.interrupted && (!done.isDone() || present.overlooks || this.chance.oneIn(2))) {
			Thread.interrupted();
			this.givesBack = done.isDone();
			throw new InterruptedException();
		}
	}

	private void noteInterrupt() {
		this.interrupted = true;
		this.interruptedAt = this.host.runningNanos();
		this.thread.interrupt();
	}

	private void replied(Wait present) {
		if (present.interruptible && this.interruptedAtReply) {
			this.interruptedAtReply = false;
			noteInterrupt();
			present.interrupted = true;
			present.overlooks = true;
		}
		this.host.execute(() -> resume(present));
	}

	private void resume(Wait present) {
		if (this.wait == present) {
			run();
		}
	}

	/**
	 * Let this thread run until it blocks or has no more tasks. Called by the world.
	 */
	private void run() {
		if (present() != null) {
			throw new IllegalStateException("A caller must not resume another caller");
		}
		if (this.state == State.NEW) {
			this.state = State.RUNNING;
			COUNT.incrementAndGet();
		}
		this.thread.goOn();
		if (this.failure != null) {
			throw new IllegalStateException("A caller has failed", this.failure);
		}
	}

	/**
	 * Run tasks until all attempts are finished.
	 * @return whether another caller may reuse the thread
	 */
	private boolean work() {
		boolean whole = false;
		try {
			while (doTasks()) {
				this.thread.pause();
			}
			whole = this.state == State.RUNNING;
		}
		catch (AbandonedError ex) {
			// The process of this caller is dead.
		}
		catch (Throwable ex) {
			this.failure = ex;
		}
		this.state = State.ENDED;
		COUNT.decrementAndGet();
		return whole;
	}

	private boolean doTasks() {
		if (this.state == State.ABANDONED) {
			return false;
		}
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
			this.givesBack = false;
		}
		return this.open > 0;
	}

	private enum State {

		NEW, RUNNING, ABANDONED, ENDED

	}

	private static final class Wait {

		private final CompletableFuture<?> done;

		private final boolean interruptible;

		private boolean interrupted;

		private boolean overlooks;

		private Wait(CompletableFuture<?> done, boolean interruptible) {
			this.done = done;
			this.interruptible = interruptible;
		}

	}

	private static final class AbandonedError extends Error {

		private static final long serialVersionUID = 1L;

		private AbandonedError() {
			super("abandoned", null, false, false);
		}

	}

	/**
	 * A thread that serves one caller after another, like a thread of an application's
	 * pool.
	 */
	private static final class CallerThread extends Thread {

		private static final Deque<CallerThread> IDLE = new ConcurrentLinkedDeque<>();

		private final Semaphore turn = new Semaphore(0);

		private final Semaphore worldsTurn = new Semaphore(0);

		private Caller caller;

		private CallerThread(Caller caller) {
			super("caller");
			this.caller = caller;
			setDaemon(true);
		}

		private static CallerThread of(Caller caller) {
			CallerThread idle = IDLE.poll();
			if (idle != null) {
				idle.caller = caller;
				return idle;
			}
			CallerThread begun = new CallerThread(caller);
			begun.start();
			return begun;
		}

		/**
		 * Resume this thread until it pauses. Called by the world.
		 */
		private void goOn() {
			this.turn.release();
			this.worldsTurn.acquireUninterruptibly();
		}

		/**
		 * Let the world continue, and block until the world resumes this thread. Called
		 * by this thread.
		 */
		private void pause() {
			this.worldsTurn.release();
			this.turn.acquireUninterruptibly();
		}

		@Override
		public void run() {
			boolean whole = true;
			this.turn.acquireUninterruptibly();
			while (whole) {
				long begun = busy();
				whole = this.caller.work();
				BUSY_NANOS.addAndGet(busy() - begun);
				Thread.interrupted();
				if (whole) {
					IDLE.push(this);
					pause();
				}
			}
			// This thread is not reused, because its thread-local state still refers to
			// locks of a dead process.
			this.worldsTurn.release();
		}

		private static long busy() {
			return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		}

	}

}
