package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.Failures;
import org.jspecify.annotations.Nullable;

/**
 * This process's callers for one lock, first come, first served. In the store at most one
 * request stands for all of them; the lock that it is granted passes from caller to
 * caller without the store, until it is another process's turn.
 * <p>
 * Thread-safe: all that follows happens in the line's mailbox, one step after the other.
 */
final class Line implements StoreWaiter.Callers, Tenure.Listener {

	/** How long the last question may stay open after a caller's waiting time. */
	private static final Duration LAST_ANSWER = Duration.ofMillis(500);

	private final EngineParts parts;

	private final LockTarget target;

	private final BiFunction<LockTarget, AcquireSettings, AcquireRequest> newRequest;

	private final boolean common;

	/** How many callers wait or hold; no line is used again after the last has left. */
	private final AtomicInteger users = new AtomicInteger(1);

	private final Mailbox mailbox = new Mailbox();

	/** Everything below is touched in the mailbox only. */
	private final Deque<Acquisition> queue = new ArrayDeque<>(1);

	/** Who asks the store. Read from anywhere. */
	private volatile @Nullable StoreWaiter waiter;

	/** The lock, if it is this line's. Read from anywhere. */
	private volatile @Nullable Tenure tenure;

	private @Nullable Future<?> deadline;

	private long deadlineAt;

	/**
	 * Create a line with its first user.
	 * @param newRequest makes the request with which to ask the store
	 * @param common whether callers pass the lock on among them; otherwise there is only
	 * one
	 */
	Line(EngineParts parts, LockTarget target, BiFunction<LockTarget, AcquireSettings, AcquireRequest> newRequest,
			boolean common) {
		this.parts = parts;
		this.target = target;
		this.newRequest = newRequest;
		this.common = common;
	}

	LockTarget target() {
		return this.target;
	}

	boolean isCommon() {
		return this.common;
	}

	/**
	 * Count one more user.
	 * @return {@code false} if the last one has left
	 */
	boolean use() {
		return this.users.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	/**
	 * Count one user less.
	 * @return whether it was the last
	 */
	boolean unuse() {
		return this.users.decrementAndGet() == 0;
	}

	@Override
	public void run(Runnable step) {
		this.mailbox.run(step);
	}

	/**
	 * Stand in line.
	 */
	void enter(Acquisition newcomer) {
		run(() -> {
			if (newcomer.isEnded()) {
				return;
			}
			this.queue.add(newcomer);
			if (this.tenure == null && this.waiter == null) {
				ask();
			}
			else {
				watchDeadline(newcomer);
			}
		});
	}

	/**
	 * Leave the line without the lock.
	 */
	void leave(Acquisition leaver) {
		run(() -> {
			this.queue.remove(leaver);
			askNoMoreForNobody();
		});
	}

	/**
	 * Ask the store at once, unless it will tell by itself: the lock may be free.
	 */
	void wake() {
		run(() -> {
			if (this.waiter != null) {
				this.waiter.askUnlessTold();
			}
		});
	}

	/**
	 * Let go of a lock: to the next caller, to the next process, or altogether.
	 */
	@Override
	public void released(Tenure released) {
		run(() -> {
			Acquisition next = next();
			if (this.tenure != released) {
				released.release();
			}
			else if (next == null || !this.common) {
				this.tenure = null;
				released.release();
			}
			else if (released.mayPass()) {
				Objects.requireNonNull(released.hold()).passedOn();
				serve(released, false);
			}
			else {
				yieldTurn(released, next);
			}
		});
	}

	@Override
	public void lost(Tenure lost) {
		run(() -> goOnWithout(lost));
	}

	@Override
	public void shared(Tenure present, BooleanSupplier shares) {
		run(() -> {
			if (shares.getAsBoolean()) {
				goOnWithout(present);
			}
		});
	}

	/**
	 * The lock was taken by force from somebody, perhaps from us before we have seen that
	 * it was granted.
	 */
	void takenByForce() {
		run(() -> {
			StoreWaiter asking = this.waiter;
			if (asking != null) {
				asking.takenByForce();
			}
			Tenure present = this.tenure;
			if (present != null && present.toldOfForceAt() == null) {
				present.suspectForce();
			}
		});
	}

	@Override
	public void granted(Grant grant) {
		Tenure granted = new Tenure(this.parts, this, grant);
		this.waiter = null;
		this.tenure = granted;
		serve(granted, true);
		if (this.deadline == null) {
			watchDeadlines();
		}
	}

	@Override
	public void answered() {
		endDue();
		watchDeadlines();
	}

	@Override
	public void failed(LockException failure) {
		this.waiter = null;
		for (Acquisition caller = this.queue.poll(); caller != null; caller = this.queue.poll()) {
			caller.end(new AcquireOutcome.Failed(Failures.copy(failure)));
		}
		cancelDeadline();
	}

	@Override
	public Duration patience() {
		long now = this.parts.timer().nanoTime();
		long longest = 0;
		for (Acquisition caller : this.queue) {
			longest = Math.max(longest, caller.giveUpAt() - now);
		}
		return Duration.ofNanos(longest);
	}

	/**
	 * Return behind whom this line's callers wait, as far as is known. Called from
	 * anywhere.
	 */
	@Nullable LockState behind() {
		Tenure present = this.tenure;
		if (present != null) {
			return present.state();
		}
		StoreWaiter asking = this.waiter;
		return (asking != null) ? asking.holder() : null;
	}

	/**
	 * Return when everything that has been brought here up to now is done.
	 */
	CompletableFuture<Void> settled() {
		CompletableFuture<Void> settled = new CompletableFuture<>();
		run(() -> settled.complete(null));
		return settled;
	}

	private void goOnWithout(Tenure former) {
		if (this.tenure == former) {
			this.tenure = null;
			askForNext();
		}
	}

	private void ask() {
		newWaiter(this.queue.element()).ask();
	}

	/**
	 * Let a new request stand for the line, with the settings of a caller.
	 */
	private StoreWaiter newWaiter(Acquisition caller) {
		AcquireRequest request = this.newRequest.apply(this.target, caller.settings());
		StoreWaiter asking = new StoreWaiter(this.parts, this, request, caller.settings());
		this.waiter = asking;
		return asking;
	}

	private void askForNext() {
		if (next() != null) {
			ask();
		}
	}

	private void askNoMoreForNobody() {
		cancelDeadlineOfNobody();
		if (this.queue.isEmpty() && this.waiter != null) {
			this.waiter.withdraw();
			this.waiter = null;
		}
	}

	/**
	 * Give the lock to the first caller who wants it still.
	 * @param fresh whether its lease has just begun
	 */
	private void serve(Tenure present, boolean fresh) {
		for (Acquisition next = next(); next != null; next = next()) {
			if (!present.lease().fits(next.settings(), fresh)) {
				renew(present, next);
				return;
			}
			this.queue.remove();
			if (next.grant(present)) {
				cancelDeadlineOfNobody();
				if (fresh && !this.queue.isEmpty()) {
					// Some may have waited for this very answer only.
					endDue();
					watchDeadlines();
				}
				return;
			}
		}
		cancelDeadlineOfNobody();
		this.tenure = null;
		present.free();
	}

	private void renew(Tenure present, Acquisition next) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Nobody holds the lock meanwhile: whoever closes the engine has to wait for it.
		this.parts.retry().watch(done);
		present.renewFor(next.settings()).whenComplete((ours, failure) -> run(() -> {
			renewed(present, next, ours);
			done.complete(null);
		}));
	}

	private void renewed(Tenure present, Acquisition next, @Nullable Boolean ours) {
		if (this.tenure != present) {
			return;
		}
		// A lease that is in doubt gets no longer by being renewed.
		boolean fits = !next.equals(next()) || present.lease().fits(next.settings(), true);
		if (Boolean.TRUE.equals(ours) && fits && !present.lease().isOver()) {
			serve(present, true);
		}
		else {
			this.tenure = null;
			present.free();
			askForNext();
		}
	}

	private void yieldTurn(Tenure released, Acquisition next) {
		this.tenure = null;
		newWaiter(next).askByYielding(released.state(), released::yieldAndAcquire);
	}

	/**
	 * Return the first caller who still waits.
	 */
	private @Nullable Acquisition next() {
		Acquisition first = this.queue.peek();
		while (first != null && first.isEnded()) {
			this.queue.remove();
			first = this.queue.peek();
		}
		return first;
	}

	private void watchDeadline(Acquisition newcomer) {
		if (this.deadline == null || newcomer.giveUpAt() - this.deadlineAt < 0) {
			watchDeadlineAt(newcomer.giveUpAt());
		}
	}

	private void watchDeadlines() {
		cancelDeadline();
		long now = this.parts.timer().nanoTime();
		this.queue.stream()
			.filter((caller) -> caller.giveUpAt() - now > 0 || !awaitsFirstAnswer())
			.map((caller) -> (caller.giveUpAt() - now > 0) ? caller.giveUpAt() : endOf(caller))
			.reduce((one, other) -> (one - other < 0) ? one : other)
			.ifPresent(this::watchDeadlineAt);
	}

	/**
	 * One task for all: rescheduled only for who gives up earlier than everybody else.
	 */
	private void watchDeadlineAt(long time) {
		cancelDeadline();
		this.deadlineAt = time;
		long delay = Math.max(time - this.parts.timer().nanoTime(), 0);
		this.deadline = this.parts.timer().schedule(() -> run(this::deadlineReached), Duration.ofNanos(delay));
	}

	private void cancelDeadline() {
		Future<?> present = this.deadline;
		if (present != null) {
			present.cancel(false);
			this.deadline = null;
		}
	}

	private void cancelDeadlineOfNobody() {
		if (next() == null) {
			cancelDeadline();
		}
	}

	private void deadlineReached() {
		this.deadline = null;
		long now = this.parts.timer().nanoTime();
		StoreWaiter asking = this.waiter;
		if (asking != null && !asking.isAsking()
				&& this.queue.stream().anyMatch((caller) -> caller.giveUpAt() - now <= 0)) {
			asking.askUnlessTold();
		}
		endDue();
		watchDeadlines();
	}

	/**
	 * End the wait of those whose waiting time is over.
	 */
	private void endDue() {
		if (!awaitsFirstAnswer()) {
			long now = this.parts.timer().nanoTime();
			Iterator<Acquisition> callers = this.queue.iterator();
			while (callers.hasNext()) {
				Acquisition caller = callers.next();
				if (endOf(caller) - now <= 0) {
					callers.remove();
					caller.end(reasonToGiveUp(caller));
				}
			}
		}
		askNoMoreForNobody();
	}

	/**
	 * Return when a caller ends without the lock. The answer to an open question may come
	 * a little later than the waiting time: a lock that it grants is not given away.
	 */
	private long endOf(Acquisition caller) {
		StoreWaiter asking = this.waiter;
		boolean open = asking != null && asking.isAsking();
		return open ? caller.giveUpAt() + LAST_ANSWER.toNanos() : caller.giveUpAt();
	}

	/**
	 * Return whether nothing is known to tell a caller. The store's own time-out bounds
	 * the question.
	 */
	private boolean awaitsFirstAnswer() {
		StoreWaiter asking = this.waiter;
		return asking != null && asking.isAsking() && !asking.hasReason();
	}

	private AcquireOutcome reasonToGiveUp(Acquisition caller) {
		StoreWaiter asking = this.waiter;
		LockStoreException outage = (asking != null) ? asking.outage() : null;
		return (outage != null) ? new AcquireOutcome.Failed(outage) : caller.refused(behind());
	}

}
