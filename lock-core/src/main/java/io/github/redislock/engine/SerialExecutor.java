package io.github.redislock.engine;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Confines an object to steps that run one at a time, in the order in which they were
 * submitted, on the submitting threads.
 * <p>
 * Only steps get the object, so it needs no lock. A step may call out, and may submit
 * another step, which runs after it and never inside it. No thread waits: if a step is
 * running, the running thread also runs the new one. Small while idle, since each held
 * lock has one.
 *
 * @param <T> the type of the confined object
 */
final class SerialExecutor<T> {

	private static final Log logger = LogFactory.getLog(SerialExecutor.class);

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<SerialExecutor, @Nullable Step> LAST = AtomicReferenceFieldUpdater
		.newUpdater(SerialExecutor.class, Step.class, "last");

	/** Shows that a thread is running steps, and that none was submitted since. */
	private static final Step<Object> BUSY = new Step<>((nothing) -> {
	}, null);

	private final T confined;

	/**
	 * The step that was submitted last, {@link #BUSY}, or {@code null} while no step
	 * runs.
	 */
	private volatile @Nullable Step<T> last;

	/**
	 * Create an executor.
	 * @param confined the object, which only steps may use from now on
	 */
	SerialExecutor(T confined) {
		this.confined = confined;
	}

	/**
	 * Run a step, now or after those before it.
	 */
	void run(Consumer<? super T> step) {
		Step<T> before = this.last;
		while (!LAST.compareAndSet(this, before, (before != null) ? new Step<>(step, before) : BUSY)) {
			before = this.last;
		}
		if (before == null) {
			runNow(step);
			runOthers();
		}
	}

	/**
	 * Run the steps submitted in between, until none is left.
	 */
	@SuppressWarnings("unchecked")
	private void runOthers() {
		while (!LAST.compareAndSet(this, BUSY, null)) {
			Step<T> newest = LAST.getAndSet(this, BUSY);
			for (Step<T> step = oldestFirst(newest); step != null; step = step.other) {
				runNow(step.task);
			}
		}
	}

	/**
	 * Reverse a list of steps, so that each one links to its successor.
	 */
	private static <T> @Nullable Step<T> oldestFirst(@Nullable Step<T> newest) {
		Step<T> first = null;
		for (Step<T> step = newest; step != null && !step.isBusy(); step = step.other) {
			first = new Step<>(step.task, first);
		}
		return first;
	}

	private void runNow(Consumer<? super T> step) {
		try {
			step.accept(this.confined);
		}
		catch (Throwable ex) {
			// Later steps must not wait forever.
			Failures.report(logger, "A step of the lock engine failed", ex);
		}
	}

	/**
	 * A step, and the one before or after it.
	 */
	private static final class Step<T> {

		private final Consumer<? super T> task;

		private final @Nullable Step<T> other;

		Step(Consumer<? super T> task, @Nullable Step<T> other) {
			this.task = task;
			this.other = other;
		}

		boolean isBusy() {
			return BUSY.equals(this);
		}

	}

}
