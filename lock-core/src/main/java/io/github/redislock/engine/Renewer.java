package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.github.redislock.store.Failures;
import io.github.redislock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the leases of this process when something is due, and renews those that are due
 * together with as few requests as possible.
 * <p>
 * One task of the timer for all: a lock that is let go takes its wake-up with it, and
 * nothing of it is left behind. Thread-safe; no lock is held while calling out, except
 * for the timer.
 */
final class Renewer {

	private static final Log logger = LogFactory.getLog(Renewer.class);

	/** A renewal that comes along is at most that much too early. */
	private static final Duration LARGEST_LEEWAY = Duration.ofSeconds(1);

	private static final Comparator<Renewal> BY_TIME = (one, other) -> {
		long difference = one.dueAt() - other.dueAt();
		return (difference != 0) ? Long.signum(difference) : Long.compare(one.number(), other.number());
	};

	private final LockTimer timer;

	private final LockStore store;

	/** Guarded by this object's monitor, as all that follows. */
	private final NavigableSet<Renewal> waiting = new TreeSet<>(BY_TIME);

	private @Nullable Future<?> wakeUp;

	private long wakeAt;

	private long numbers;

	Renewer(LockTimer timer, LockStore store) {
		this.timer = timer;
		this.store = store;
	}

	/**
	 * Return what tells one renewal from all others.
	 */
	synchronized long nextNumber() {
		return this.numbers++;
	}

	/**
	 * Wake a lease at some time, instead of when it was to be woken before.
	 * @param leeway how much earlier it may be woken together with others
	 */
	synchronized void wakeAt(Renewal renewal, long dueAt, Duration leeway) {
		this.waiting.remove(renewal);
		renewal.setDue(dueAt, (leeway.compareTo(LARGEST_LEEWAY) < 0) ? leeway : LARGEST_LEEWAY);
		this.waiting.add(renewal);
		// Most locks are let go long before: who leaves does not move the wake-up.
		if (this.wakeUp == null || dueAt - this.wakeAt < 0) {
			scheduleAt(dueAt);
		}
	}

	/**
	 * Wake a lease no more. The wake-up stays, also for nobody: the next lock comes long
	 * before it, and would have to order it anew.
	 */
	synchronized void forget(Renewal renewal) {
		this.waiting.remove(renewal);
	}

	/**
	 * Look at each lease anew: more time has passed than it seemed.
	 */
	void lookAtAll() {
		List<Renewal> all;
		synchronized (this) {
			all = List.copyOf(this.waiting);
		}
		all.forEach(Renewal::schedule);
	}

	/**
	 * Wake nobody any more.
	 */
	synchronized void close() {
		if (this.waiting.isEmpty()) {
			cancelWakeUp();
		}
	}

	synchronized boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	private void scheduleAt(long time) {
		cancelWakeUp();
		this.wakeAt = time;
		this.wakeUp = this.timer.schedule(this::wake, Duration.ofNanos(Math.max(time - this.timer.nanoTime(), 0)));
	}

	private void cancelWakeUp() {
		Future<?> present = this.wakeUp;
		if (present != null) {
			present.cancel(false);
			this.wakeUp = null;
		}
	}

	private void wake() {
		List<Renewal> due = takeDue();
		renew(due);
		// Last: to log many losses takes long, and neither holders nor renewals wait for
		// it.
		due.forEach(Renewer::report);
	}

	private void renew(List<Renewal> due) {
		List<Renewal.Change> changes = new ArrayList<>();
		for (Renewal renewal : due) {
			Renewal.Change change = begin(renewal);
			if (change != null) {
				changes.add(change);
			}
		}
		if (changes.isEmpty()) {
			return;
		}
		List<CompletionStage<Boolean>> answers = this.store
			.renewAll(changes.stream().map(Renewal.Change::request).toList());
		for (int index = 0; index < changes.size(); index++) {
			changes.get(index).answer(answers.get(index));
		}
	}

	/**
	 * Whatever becomes of one renewal, the others must go on.
	 */
	private static Renewal.@Nullable Change begin(Renewal renewal) {
		try {
			return renewal.wokenUp() ? renewal.begin() : null;
		}
		catch (Throwable ex) {
			Failures.report(logger, "A renewal of a lease failed", ex);
			renewal.schedule();
			return null;
		}
	}

	private static void report(Renewal renewal) {
		try {
			renewal.report();
		}
		catch (Throwable ex) {
			Failures.report(logger, "A loss of a lock could not be reported", ex);
		}
	}

	/**
	 * Take those whose time has come, and with them those whose time comes soon.
	 */
	private synchronized List<Renewal> takeDue() {
		List<Renewal> due = new ArrayList<>();
		long now = this.timer.nanoTime();
		Iterator<Renewal> candidates = this.waiting.iterator();
		while (candidates.hasNext()) {
			Renewal next = candidates.next();
			if (next.dueAt() - now > LARGEST_LEEWAY.toNanos() || (due.isEmpty() && next.dueAt() - now > 0)) {
				break;
			}
			if (next.earliest() - now <= 0) {
				candidates.remove();
				due.add(next);
			}
		}
		// Another one than that which runs, if this one came late.
		cancelWakeUp();
		if (!this.waiting.isEmpty()) {
			scheduleAt(this.waiting.first().dueAt());
		}
		return due;
	}

}
