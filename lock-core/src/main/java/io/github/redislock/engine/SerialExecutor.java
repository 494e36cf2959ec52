package io.github.redislock.engine;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Confines an object to steps that run one at a time, in the order in which they were
 * submitted, on threads that submit steps.
 * <p>
 * State that only steps use needs no lock. A step may call other code, and may submit
 * another step, which runs after it and never inside it. No thread waits: if a step is
 * running, its thread also runs the new one. An idle executor is kept small, because each
 * held lock has one.
 *
 * @param <T> the type of the confined object
 */
final class SerialExecutor<T> {

	private static final Log logger = LogFactory.getLog(SerialExecutor.class);

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<SerialExecutor, @Nullable Step> LAST = AtomicReferenceFieldUpdater
		.newUpdater(SerialExecutor.class, Step.class, "last");

	/** Indicates that a thread is running steps and that no new step was submitted. */
	private static final Step<Object> BUSY = new Step<>((nothing) -> {
	}, null);

	private final T confined;

	/**
	 * The step that was submitted last, {@link #BUSY}, or {@code null} if no step is
	 * running.
	 */
	private volatile @Nullable Step<T> last;

	SerialExecutor(T confined) {
		this.confined = confined;
	}

	/**
	 * Run a step now, or after the steps before it.
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
	 * Run the steps submitted in the meantime, until none is left.
	 */
	@SuppressWarnings("unchecked")
	private void runOthers() {
		while (!LAST.compareAndSet(this, BUSY, null)) {
			Step<T> newest = LAST.getAndSet(this, BUSY);
			// This thread does not wait for the replies to other callers' requests.
			CallingThread.runOther(() -> {
				for (Step<T> step = oldestFirst(newest); step != null; step = step.other()) {
					runNow(step.task());
				}
			});
		}
	}

	/**
	 * Reverse a list of steps, so that each one links to its successor.
	 */
	private static <T> @Nullable Step<T> oldestFirst(@Nullable Step<T> newest) {
		Step<T> first = null;
		for (Step<T> step = newest; step != null && !step.isBusy(); step = step.other()) {
			first = new Step<>(step.task(), first);
		}
		return first;
	}

	private void runNow(Consumer<? super T> step) {
		try {
			step.accept(this.confined);
		}
		catch (Throwable ex) {
			// The failure of one step must not block later steps forever.
			Failures.report(logger, "A step of the lock engine failed", ex);
		}
	}

	/**
	 * A step, linked to the one before or after it.
	 */
	private record Step<T>(Consumer<? super T> task, @Nullable Step<T> other) {

		boolean isBusy() {
			return this.task.equals(BUSY.task());
		}

	}

}
