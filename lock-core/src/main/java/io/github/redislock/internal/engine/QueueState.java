package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Predicate;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The state of a local queue: the waiting callers, first come, first served, their
 * deadlines, and the request or the tenure that they share. Only steps of the queue use
 * this object, except for the methods that may be called on any thread.
 */
final class QueueState implements WaitingCallers {

	/**
	 * How long, in nanoseconds, a caller waits beyond its waiting time for a pending
	 * reply that is not the first one.
	 */
	private static final long PATIENCE_FOR_A_REPLY = Duration.ofMillis(500).toNanos();

	private final Tenure.Listener queue;

	private final EngineParts parts;

	private final Deque<Acquisition<?>> waiting = new ArrayDeque<>(1);

	private @Nullable Future<?> deadline;

	private long deadlineAt;

	/** The tenure, if this process has the lock. Read by any thread. */
	private volatile @Nullable Tenure tenure;

	/** The request to the store, if any. Read by any thread. */
	private volatile @Nullable PendingRequest pending;

	/**
	 * How long turns take; {@code null} until a turn has begun while another caller
	 * waited. Read by any thread.
	 */
	private volatile @Nullable TurnTimes turns;

	/**
	 * Create the state of an empty queue.
	 * @param queue runs steps, and owns the tenures
	 */
	QueueState(Tenure.Listener queue, EngineParts parts) {
		this.queue = queue;
		this.parts = parts;
	}

	/**
	 * Return the holder that the callers wait for, if known. Called on any thread.
	 */
	@Nullable LockState behind() {
		Tenure present = this.tenure;
		if (present != null) {
			return present.state();
		}
		PendingRequest request = this.pending;
		return (request != null) ? request.holder() : null;
	}

	/**
	 * Return whether one of the queue's users does not wait: it has the lock, or its
	 * request has not been refused yet. Called on any thread.
	 */
	boolean isOneServed() {
		PendingRequest request = this.pending;
		return this.tenure != null || request == null || request.holder() == null;
	}

	/**
	 * Refuse a caller, because as many as allowed already wait. Called on any thread.
	 */
	void refuse(Acquisition<?> caller) {
		TurnTimes seen = this.turns;
		int limit = caller.settings().maxWaiters();
		caller.refuse(behind(), limit, (seen != null) ? seen.estimate(limit) : null);
	}

	void enter(Acquisition<?> newcomer) {
		if (newcomer.isEnded()) {
			return;
		}
		this.waiting.add(newcomer);
		if (this.tenure == null && this.pending == null) {
			newRequest(newcomer).send();
		}
		else if (this.deadline == null || newcomer.giveUpAt() - this.deadlineAt < 0) {
			watchDeadlineAt(newcomer.giveUpAt());
		}
	}

	void leave(Acquisition<?> leaver) {
		this.waiting.remove(leaver);
		withdrawIfNoneWaits();
	}

	void wake() {
		PendingRequest request = this.pending;
		if (request != null) {
			request.sendUnlessNotified();
		}
	}

	/**
	 * Release a lock to the next caller or the next process, or free it in the store.
	 */
	void release(Tenure released) {
		Acquisition<?> next = next();
		if (this.tenure != released) {
			released.release();
		}
		else if (next == null) {
			this.tenure = null;
			endTurn();
			released.release();
		}
		else if (released.mayPass()) {
			released.passOn();
			serve(released, false);
		}
		else {
			this.tenure = null;
			newRequest(next).sendByYielding(released);
		}
	}

	void takenByForce() {
		PendingRequest request = this.pending;
		if (request != null) {
			request.takenByForce();
		}
		Tenure present = this.tenure;
		if (present != null) {
			present.takenByForce();
		}
	}

	/**
	 * End a tenure whose lock was lost, and request the lock for the next caller.
	 */
	void goOnWithout(Tenure former) {
		if (this.tenure == former) {
			this.tenure = null;
			requestForNext();
		}
	}

	@Override
	public void granted(Grant grant) {
		Tenure granted = new Tenure(this.parts.store(), this.parts.timer(), this.parts.messages(), this.parts.renewer(),
				this.parts.slice(), this.queue, grant);
		this.pending = null;
		this.tenure = granted;
		serve(granted, true);
		if (!this.waiting.isEmpty()) {
			watchDeadlines();
		}
	}

	@Override
	public void replied() {
		endDue();
		refuseLastIfFull();
		watchDeadlines();
	}

	/**
	 * Refuse the last caller if too many wait, because the caller that sent the request
	 * waits from now on.
	 */
	private void refuseLastIfFull() {
		Acquisition<?> last = this.waiting.peekLast();
		if (last != null && !last.mayWait(this.waiting.size())) {
			this.waiting.removeLast();
			refuse(last);
			withdrawIfNoneWaits();
		}
	}

	@Override
	public void failed(LockException failure) {
		this.pending = null;
		for (Acquisition<?> caller = this.waiting.poll(); caller != null; caller = this.waiting.poll()) {
			caller.fail(Failures.copy(failure));
		}
		cancelDeadline();
	}

	@Override
	public Duration longestWait() {
		long now = nanoTime();
		long longest = 0;
		for (Acquisition<?> caller : this.waiting) {
			longest = Math.max(longest, caller.giveUpAt() - now);
		}
		return Duration.ofNanos(longest);
	}

	private PendingRequest newRequest(Acquisition<?> caller) {
		AcquireSettings settings = caller.settings();
		String requestId = this.parts.tokens().nextRandom();
		String owner = (settings.owner() != null) ? settings.owner() : this.parts.tokens().owner(requestId);
		int tokens = settings.passes(caller.target()) ? Tenure.MOST_HOLDS : 1;
		AcquireRequest wanted = new AcquireRequest(caller.target(), owner, requestId, settings.timeToLive(), tokens,
				settings.claim());
		PendingRequest request = new PendingRequest(this.parts, this.queue, this, wanted, settings);
		this.pending = request;
		return request;
	}

	private void requestForNext() {
		Acquisition<?> next = next();
		if (next != null) {
			newRequest(next).sendAfterTenure();
		}
	}

	private void withdrawIfNoneWaits() {
		if (next() == null) {
			cancelDeadline();
		}
		PendingRequest request = this.pending;
		if (this.waiting.isEmpty() && request != null) {
			request.withdraw();
			this.pending = null;
		}
	}

	/**
	 * Give the lock to the first caller that still wants it.
	 * @param fresh whether the lock's lease has just begun
	 */
	private void serve(Tenure present, boolean fresh) {
		for (Acquisition<?> next = next(); next != null; next = next()) {
			if (!present.lease().fits(next.settings(), fresh)) {
				Acquisition<?> served = next;
				present.renewFor(served.settings(), (ours) -> this.queue.execute(() -> renewed(present, served, ours)));
				return;
			}
			this.waiting.remove();
			if (next.grant(present)) {
				if (next() != null || this.turns != null) {
					this.turns = TurnTimes.next(this.turns, nanoTime());
				}
				if (next() == null) {
					cancelDeadline();
				}
				else if (fresh) {
					// The waiting time of some callers may be over: they only waited for
					// this reply.
					endDue();
					watchDeadlines();
				}
				return;
			}
		}
		cancelDeadline();
		this.tenure = null;
		present.releaseUnheld();
	}

	private void endTurn() {
		TurnTimes seen = this.turns;
		if (seen != null) {
			this.turns = seen.end(nanoTime());
		}
	}

	private void renewed(Tenure present, Acquisition<?> served, boolean ours) {
		if (this.tenure != present) {
			return;
		}
		// If the lease is in doubt, it may still be too short after the renewal.
		boolean fits = !served.equals(next()) || present.lease().fits(served.settings(), true);
		// The reply may be older than the message about a forced release.
		if (ours && fits && present.lease().standing() == Standing.SURE) {
			serve(present, true);
		}
		else {
			this.tenure = null;
			present.releaseUnheld();
			requestForNext();
		}
	}

	/**
	 * Return the first caller that still waits.
	 */
	private @Nullable Acquisition<?> next() {
		Acquisition<?> first = this.waiting.peek();
		while (first != null && first.isEnded()) {
			this.waiting.remove();
			first = this.waiting.peek();
		}
		return first;
	}

	/**
	 * Schedule the next deadline of all callers: the end of a waiting time, or of the
	 * extra time for a late reply.
	 */
	private void watchDeadlines() {
		cancelDeadline();
		long now = nanoTime();
		boolean known = !awaitsFirstReply();
		long soonest = Long.MAX_VALUE;
		for (Acquisition<?> caller : this.waiting) {
			boolean over = caller.giveUpAt() - now <= 0;
			if (known || !over) {
				soonest = Math.min(soonest, (over ? endOf(caller) : caller.giveUpAt()) - now);
			}
		}
		if (soonest < Long.MAX_VALUE) {
			watchDeadlineAt(now + soonest);
		}
	}

	private void watchDeadlineAt(long time) {
		cancelDeadline();
		this.deadlineAt = time;
		Duration delay = Duration.ofNanos(Math.max(time - nanoTime(), 0));
		this.deadline = this.parts.timer().schedule(() -> this.queue.execute(this::deadlineReached), delay);
	}

	private void cancelDeadline() {
		Future<?> present = this.deadline;
		if (present != null) {
			present.cancel(false);
			this.deadline = null;
		}
	}

	private void deadlineReached() {
		this.deadline = null;
		long now = nanoTime();
		PendingRequest request = this.pending;
		if (request != null && !request.awaitsReply()
				&& this.waiting.stream().anyMatch((caller) -> caller.giveUpAt() - now <= 0)) {
			request.sendUnlessNotified();
		}
		endDue();
		watchDeadlines();
	}

	private void endDue() {
		if (!awaitsFirstReply()) {
			long now = nanoTime();
			Predicate<Acquisition<?>> isDue = (caller) -> endOf(caller) - now <= 0;
			List<Acquisition<?>> due = this.waiting.stream().filter(isDue).toList();
			this.waiting.removeIf(isDue);
			due.forEach(this::giveUp);
		}
		withdrawIfNoneWaits();
	}

	/**
	 * Return when the wait of a caller ends without the lock. If a request is pending,
	 * the caller waits a little longer for the reply, so that a grant is not wasted.
	 */
	private long endOf(Acquisition<?> caller) {
		PendingRequest request = this.pending;
		return caller.giveUpAt() + ((request != null && request.awaitsReply()) ? PATIENCE_FOR_A_REPLY : 0);
	}

	/**
	 * Return whether a request is pending and there is no earlier reply or failure to
	 * report. The store's timeout limits this wait.
	 */
	private boolean awaitsFirstReply() {
		PendingRequest request = this.pending;
		return request != null && request.awaitsReply() && !request.hasReason();
	}

	private void giveUp(Acquisition<?> caller) {
		PendingRequest request = this.pending;
		LockStoreException outage = (request != null) ? request.outage() : null;
		if (outage != null) {
			caller.fail(outage);
		}
		else {
			caller.refuse(behind());
		}
	}

	private long nanoTime() {
		return this.parts.timer().nanoTime();
	}

}
