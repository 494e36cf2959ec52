package io.github.redislock.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.CallingThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The queue of this process's callers for one lock, first come, first served. At most one
 * request represents all of them in the store. A granted lock may pass from caller to
 * caller within this process.
 * <p>
 * Thread-safe: callers and the request are confined to steps. Steps run one at a time, in
 * the order in which they were submitted, on threads that submit steps. No thread waits:
 * if a step is running, its thread also runs the new one. An idle queue is kept small,
 * because each held lock has one.
 */
final class LocalQueue implements Tenure.Listener {

	private static final Log logger = LogFactory.getLog(LocalQueue.class);

	private static final AtomicIntegerFieldUpdater<LocalQueue> USERS = AtomicIntegerFieldUpdater
		.newUpdater(LocalQueue.class, "users");

	private static final AtomicReferenceFieldUpdater<LocalQueue, @Nullable Step> LAST = AtomicReferenceFieldUpdater
		.newUpdater(LocalQueue.class, Step.class, "last");

	/** Indicates that a thread is running steps and that no new step was submitted. */
	private static final Step BUSY = new Step((nothing) -> {
	}, null);

	private final LockTarget target;

	private final boolean common;

	private final QueueState state;

	/**
	 * The number of callers that wait for the lock or hold it. A queue is not reused
	 * after the last one has left.
	 */
	private volatile int users = 1;

	/**
	 * The step that was submitted last, {@link #BUSY}, or {@code null} if no step is
	 * running.
	 */
	private volatile @Nullable Step last;

	/**
	 * Create a queue with its first user.
	 * @param common whether several callers can share the queue
	 */
	LocalQueue(EngineParts parts, LockTarget target, boolean common) {
		this.target = target;
		this.common = common;
		this.state = new QueueState(this, parts);
	}

	LockTarget target() {
		return this.target;
	}

	boolean isCommon() {
		return this.common;
	}

	/**
	 * Count another user.
	 * @return {@code false} if the last user has already left, or if as many as allowed
	 * wait
	 */
	boolean use(AcquireSettings settings) {
		int count = this.users;
		while (count > 0 && count - (this.state.isOneServed() ? 1 : 0) < settings.maxWaiters()) {
			if (USERS.compareAndSet(this, count, count + 1)) {
				return true;
			}
			count = this.users;
		}
		return false;
	}

	boolean isUsed() {
		return this.users > 0;
	}

	/**
	 * Remove one user from the count.
	 * @return whether it was the last
	 */
	boolean unuse() {
		return USERS.decrementAndGet(this) == 0;
	}

	/**
	 * Run a step on the state now, or after the steps before it. It runs on this thread,
	 * or on the thread that is running steps. A step may submit another step, which runs
	 * after it and never inside it.
	 */
	void run(Consumer<QueueState> step) {
		Step before = this.last;
		while (!LAST.compareAndSet(this, before, (before != null) ? new Step(step, before) : BUSY)) {
			before = this.last;
		}
		if (before == null) {
			runNow(step);
			runOthers();
		}
	}

	/**
	 * Run the steps submitted in the meantime, until none is left.
	 */
	private void runOthers() {
		while (!LAST.compareAndSet(this, BUSY, null)) {
			Step newest = LAST.getAndSet(this, BUSY);
			// This thread does not wait for the replies to other callers' requests.
			CallingThread.runOther(() -> {
				for (Step step = oldestFirst(newest); step != null; step = step.other()) {
					runNow(step.task());
				}
			});
		}
	}

	/**
	 * Reverse a list of steps, so that each one links to its successor.
	 */
	private static @Nullable Step oldestFirst(@Nullable Step newest) {
		Step first = null;
		for (Step step = newest; step != null && !step.isBusy(); step = step.other()) {
			first = new Step(step.task(), first);
		}
		return first;
	}

	private void runNow(Consumer<QueueState> step) {
		try {
			step.accept(this.state);
		}
		catch (Throwable ex) {
			// The failure of one step must not block later steps forever.
			Failures.report(logger, "A step of the lock engine failed", ex);
		}
	}

	@Override
	public void execute(Runnable step) {
		run((state) -> step.run());
	}

	@Override
	public void release(Tenure released) {
		run((state) -> state.release(released));
	}

	@Override
	public void lost(Tenure lost) {
		run((state) -> state.goOnWithout(lost));
	}

	@Nullable LockState behind() {
		return this.state.behind();
	}

	void refuse(Acquisition<?> caller) {
		this.state.refuse(caller);
	}

	/**
	 * Return a future that completes when all steps submitted so far are done.
	 */
	CompletableFuture<Void> settled() {
		return CompletableFuture.runAsync(() -> {
		}, this::execute);
	}

	/**
	 * A step, linked to the one before or after it.
	 */
	private record Step(Consumer<QueueState> task, @Nullable Step other) {

		boolean isBusy() {
			return this.task.equals(BUSY.task());
		}

	}

}
