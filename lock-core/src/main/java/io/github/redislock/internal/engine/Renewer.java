package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.LockTimer;
import io.github.redislock.store.RenewRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the leases of one engine when they are due, and renews those that are due at the
 * same time with as few requests as possible.
 * <p>
 * All leases share one timer task, so a release need not cancel a task. Thread-safe; no
 * monitor is held while calling other code, except for the timer.
 */
final class Renewer {

	private static final Log logger = LogFactory.getLog(Renewer.class);

	/** The longest time in nanoseconds by which a renewal may be early. */
	private static final long LARGEST_LEEWAY = Duration.ofSeconds(1).toNanos();

	private static final Comparator<Wakeable> BY_TIME = (one, other) -> {
		long difference = one.dueAt - other.dueAt;
		return (difference != 0) ? Long.signum(difference) : Long.compare(one.number, other.number);
	};

	private final LockTimer timer;

	private final EngineStore store;

	private @GuardedBy("this") final NavigableSet<Wakeable> waiting = new TreeSet<>(BY_TIME);

	private @GuardedBy("this") @Nullable Future<?> wakeUp;

	private @GuardedBy("this") long wakeAt;

	private @GuardedBy("this") long numbers;

	Renewer(LockTimer timer, EngineStore store) {
		this.timer = timer;
		this.store = store;
	}

	/**
	 * Schedule the wake-up of a lease, replacing its earlier one.
	 * @param leeway how many nanoseconds earlier it may be woken, together with others
	 */
	synchronized void wakeAt(Wakeable lease, long dueAt, long leeway) {
		this.waiting.remove(lease);
		lease.setDue(dueAt, Math.min(leeway, LARGEST_LEEWAY));
		this.waiting.add(lease);
		// A release does not move the wake-up, because most locks are released long
		// before they are due.
		if (this.wakeUp == null || dueAt - this.wakeAt < 0) {
			scheduleAt(dueAt);
		}
	}

	/**
	 * Stop waking a lease. The timer task is kept even if no lease is left, because the
	 * next lock is usually acquired long before the task runs.
	 */
	synchronized void forget(Wakeable lease) {
		this.waiting.remove(lease);
	}

	/**
	 * Do something with each lease that waits for its wake-up.
	 */
	void forEach(Consumer<Wakeable> action) {
		List<Wakeable> all;
		synchronized (this) {
			all = List.copyOf(this.waiting);
		}
		all.forEach(action);
	}

	/**
	 * Cancel the timer task, unless a lease is still watched.
	 */
	synchronized void close() {
		if (this.waiting.isEmpty()) {
			cancelWakeUp();
		}
	}

	synchronized boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	private synchronized void scheduleAt(long time) {
		cancelWakeUp();
		this.wakeAt = time;
		this.wakeUp = this.timer.schedule(this::wake, Duration.ofNanos(Math.max(time - this.timer.nanoTime(), 0)));
	}

	private synchronized void cancelWakeUp() {
		Future<?> present = this.wakeUp;
		if (present != null) {
			present.cancel(false);
			this.wakeUp = null;
		}
	}

	private void wake() {
		List<Wakeable> due = takeDue();
		send(due.stream().map(Renewer::wakeUp).flatMap(List::stream).toList());
		// Report last, because logging many losses takes long, and holders and renewals
		// must not wait for it.
		due.forEach(Renewer::report);
	}

	/**
	 * Send changes with as few requests as possible.
	 */
	void send(List<Change> changes) {
		if (changes.isEmpty()) {
			return;
		}
		List<CompletionStage<Boolean>> replies = this.store.renewAll(changes.stream().map(Change::request).toList());
		for (int index = 0; index < changes.size(); index++) {
			replies.get(index).whenComplete(changes.get(index).reply());
		}
	}

	/**
	 * Wake up one lease. If that fails, the others must still be renewed.
	 */
	private static List<Change> wakeUp(Wakeable lease) {
		try {
			return lease.wakeUp();
		}
		catch (Throwable ex) {
			Failures.report(logger, "A lease could not be checked or renewed", ex);
			lease.schedule();
			return List.of();
		}
	}

	private static void report(Wakeable lease) {
		try {
			lease.report();
		}
		catch (Throwable ex) {
			Failures.report(logger, "The loss of a lock could not be reported", ex);
		}
	}

	/**
	 * Remove and return the leases that are due, and those that may be woken early
	 * together with them.
	 */
	private synchronized List<Wakeable> takeDue() {
		List<Wakeable> due = new ArrayList<>();
		long now = this.timer.nanoTime();
		Iterator<Wakeable> candidates = this.waiting.iterator();
		while (candidates.hasNext()) {
			Wakeable next = candidates.next();
			if (next.dueAt - now > LARGEST_LEEWAY || (due.isEmpty() && next.dueAt - now > 0)) {
				break;
			}
			if (next.earliest - now <= 0) {
				candidates.remove();
				due.add(next);
			}
		}
		// If this task ran late, another one may already be scheduled.
		cancelWakeUp();
		if (!this.waiting.isEmpty()) {
			scheduleAt(this.waiting.first().dueAt);
		}
		return due;
	}

	/**
	 * A lease that can be woken up when something is due.
	 */
	abstract static class Wakeable {

		/** A unique number, which orders leases that are due at the same time. */
		private final long number;

		/** When to wake this lease. Guarded by the renewer's monitor. */
		private long dueAt;

		private long earliest;

		Wakeable(Renewer renewer) {
			synchronized (renewer) {
				this.number = renewer.numbers++;
			}
		}

		private void setDue(long dueAt, long leeway) {
			this.dueAt = dueAt;
			this.earliest = dueAt - leeway;
		}

		abstract void schedule();

		/**
		 * Check after a pause, or together with others, whether the store still has the
		 * lock.
		 */
		abstract void checkIn(Duration pause);

		/**
		 * Handle the wake-up at the scheduled time.
		 * @return the changes to send to the store together with others; empty if the
		 * lease need not be renewed now, or is renewed separately
		 */
		abstract List<Change> wakeUp();

		/**
		 * Report a loss that was noticed at a wake-up.
		 */
		abstract void report();

	}

	/**
	 * A change of a lease that is to be sent to the store.
	 *
	 * @param reply handles the store's reply or failure
	 */
	record Change(RenewRequest request, BiConsumer<@Nullable Boolean, @Nullable Throwable> reply) {
	}

}
