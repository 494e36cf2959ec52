package io.github.redislock.engine;

import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.store.Failures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after the other, in the order in which they come, on the threads that
 * bring them.
 * <p>
 * What only its tasks touch needs no lock, a task may call out, and a task that brings
 * another one never runs it inside itself. Nobody waits: who comes while a task runs
 * leaves his own behind. Small while nobody uses it, since each lock that is held has
 * one.
 */
final class Mailbox {

	private static final Log logger = LogFactory.getLog(Mailbox.class);

	/** Somebody runs tasks, and nothing was brought since. */
	private static final Letter BUSY = new Letter(() -> {
	}, null);

	/** What was brought last, {@link #BUSY}, or {@code null} while nobody runs tasks. */
	private final AtomicReference<@Nullable Letter> last = new AtomicReference<>();

	/**
	 * Run a task, now or after those before it.
	 */
	void run(Runnable task) {
		Letter before = this.last.get();
		while (!this.last.compareAndSet(before, (before != null) ? new Letter(task, before) : BUSY)) {
			before = this.last.get();
		}
		if (before == null) {
			runNow(task);
			runOthers();
		}
	}

	/**
	 * Run what others have brought meanwhile, until nothing is left.
	 */
	private void runOthers() {
		while (!this.last.compareAndSet(BUSY, null)) {
			Letter newest = this.last.getAndSet(BUSY);
			for (Letter letter = oldestFirst(newest); letter != null; letter = letter.other) {
				runNow(letter.task);
			}
		}
	}

	/**
	 * Return letters, of which each knows the one before, so that each knows the one
	 * after.
	 */
	private static @Nullable Letter oldestFirst(@Nullable Letter newest) {
		Letter first = null;
		for (Letter letter = newest; letter != null && letter != BUSY; letter = letter.other) {
			first = new Letter(letter.task, first);
		}
		return first;
	}

	private static void runNow(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			// Whatever it is, those who come next must not wait for ever.
			Failures.report(logger, "A step of the lock engine failed", ex);
		}
	}

	/**
	 * A task, and the one before or after it.
	 */
	private static final class Letter {

		private final Runnable task;

		private final @Nullable Letter other;

		Letter(Runnable task, @Nullable Letter other) {
			this.task = task;
			this.other = other;
		}

	}

}
