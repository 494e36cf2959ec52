package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.Failures;
import io.github.redislock.store.HandOver;
import org.jspecify.annotations.Nullable;

/**
 * The queue of this process's callers for one lock, first come, first served. At most one
 * request represents all of them in the store. A granted lock passes from caller to
 * caller without a request to the store, until it is another process's turn.
 * <p>
 * Thread-safe: waiters and the request are confined to a {@link SerialExecutor}.
 */
final class LocalQueue implements Tenure.Listener, HandOverDispatcher.Target {

	private static final AtomicIntegerFieldUpdater<LocalQueue> USERS = AtomicIntegerFieldUpdater
		.newUpdater(LocalQueue.class, "users");

	/**
	 * Shared by all queues without waiters, which are the majority. Never modified.
	 */
	private static final Deque<Acquisition<?>> NOBODY = new ArrayDeque<>(1);

	/**
	 * How long after its waiting time a caller still waits for a pending reply.
	 */
	private static final long LAST_ANSWER = Duration.ofMillis(500).toNanos();

	private final Source source;

	private final LockTarget target;

	private final boolean common;

	private final SerialExecutor<Callers> callers = new SerialExecutor<>(new Callers());

	/**
	 * The number of callers that wait for the lock or hold it. A queue is not reused
	 * after the last one has left.
	 */
	private volatile int users = 1;

	/** The tenure, if this queue has the lock. Modified by {@link Callers} only. */
	private volatile @Nullable Tenure tenure;

	/** The request to the store, if any. Modified by {@link Callers} only. */
	private volatile @Nullable PendingRequest pending;

	/**
	 * Create a queue with its first user.
	 * @param source creates requests and tenures
	 * @param common whether several callers can share the queue
	 */
	LocalQueue(Source source, LockTarget target, boolean common) {
		this.source = source;
		this.target = target;
		this.common = common;
	}

	LockTarget target() {
		return this.target;
	}

	boolean isCommon() {
		return this.common;
	}

	/**
	 * Count another user.
	 * @return {@code false} if the last user has already left
	 */
	boolean use() {
		return this.users > 0 && USERS.getAndUpdate(this, (count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	/**
	 * Remove one user from the count.
	 * @return whether it was the last
	 */
	boolean unuse() {
		return USERS.decrementAndGet(this) == 0;
	}

	/**
	 * Let a caller join the queue.
	 */
	void enter(Acquisition<?> newcomer) {
		this.callers.run((callers) -> callers.enter(newcomer));
	}

	/**
	 * Let a caller leave the queue without the lock.
	 */
	void leave(Acquisition<?> leaver) {
		this.callers.run((callers) -> callers.leave(leaver));
	}

	/**
	 * Send the request now, because the lock may be free, unless the store will notify
	 * us.
	 */
	void wake() {
		withPending(PendingRequest::askUnlessTold);
	}

	/**
	 * Handle a forced release. We may be the holder, perhaps of a grant that we have not
	 * received yet.
	 */
	void takenByForce() {
		this.callers.run(Callers::takenByForce);
	}

	@Override
	public void run(Runnable step) {
		this.callers.run((callers) -> step.run());
	}

	@Override
	public void release(Tenure released) {
		this.callers.run((callers) -> callers.release(released));
	}

	@Override
	public void lost(Tenure lost) {
		this.callers.run((callers) -> callers.goOnWithout(lost));
	}

	@Override
	public void shared(Tenure present, BooleanSupplier shares) {
		this.callers.run((callers) -> {
			if (shares.getAsBoolean()) {
				callers.goOnWithout(present);
			}
		});
	}

	@Override
	public void handedOver(HandOver handOver) {
		withPending((asking) -> asking.handedOver(handOver));
	}

	@Override
	public void turnHasCome(String requestId) {
		withPending((asking) -> asking.turnHasCome(requestId));
	}

	@Override
	public void mayHaveMissedNews() {
		withPending(PendingRequest::askAnew);
	}

	/**
	 * Return the holder that this queue's callers wait for, if known. Called on any
	 * thread.
	 */
	@Nullable LockState behind() {
		Tenure present = this.tenure;
		if (present != null) {
			return present.state();
		}
		PendingRequest asking = this.pending;
		return (asking != null) ? asking.holder() : null;
	}

	/**
	 * Return a future that completes when all steps submitted so far are done.
	 */
	CompletableFuture<Void> settled() {
		CompletableFuture<Void> settled = new CompletableFuture<>();
		run(() -> settled.complete(null));
		return settled;
	}

	private void withPending(Consumer<PendingRequest> step) {
		this.callers.run((callers) -> {
			PendingRequest asking = this.pending;
			if (asking != null) {
				step.accept(asking);
			}
		});
	}

	/**
	 * The waiters, first come, first served, and their deadlines. Used by steps of the
	 * executor only.
	 */
	private final class Callers implements PendingRequest.Callers {

		private Deque<Acquisition<?>> waiting = NOBODY;

		private @Nullable Future<?> deadline;

		private long deadlineAt;

		void enter(Acquisition<?> newcomer) {
			if (newcomer.isEnded()) {
				return;
			}
			add(newcomer);
			if (LocalQueue.this.tenure == null && LocalQueue.this.pending == null) {
				newRequest(newcomer).ask();
			}
			else {
				watchDeadline(newcomer);
			}
		}

		private void add(Acquisition<?> newcomer) {
			if (this.waiting.equals(NOBODY)) {
				this.waiting = new ArrayDeque<>(2);
			}
			this.waiting.add(newcomer);
		}

		void leave(Acquisition<?> leaver) {
			this.waiting.remove(leaver);
			withdrawIfNobodyWaits();
		}

		/**
		 * Release a lock to the next caller or the next process, or free it in the store.
		 */
		void release(Tenure released) {
			Acquisition<?> next = next();
			if (LocalQueue.this.tenure != released) {
				released.end().release();
			}
			else if (next == null || !LocalQueue.this.common) {
				LocalQueue.this.tenure = null;
				released.end().release();
			}
			else if (released.mayPass()) {
				released.passOn();
				serve(released, false);
			}
			else {
				LocalQueue.this.tenure = null;
				newRequest(next).askByYielding(released);
			}
		}

		void takenByForce() {
			PendingRequest asking = LocalQueue.this.pending;
			if (asking != null) {
				asking.takenByForce();
			}
			Tenure present = LocalQueue.this.tenure;
			if (present != null && present.forced().reportedAt() == null) {
				present.forced().begin();
			}
		}

		void goOnWithout(Tenure former) {
			if (LocalQueue.this.tenure == former) {
				LocalQueue.this.tenure = null;
				askForNext();
			}
		}

		@Override
		public void granted(Grant grant) {
			Tenure granted = LocalQueue.this.source.newTenure(LocalQueue.this, grant);
			LocalQueue.this.pending = null;
			LocalQueue.this.tenure = granted;
			serve(granted, true);
			if (this.deadline == null) {
				watchDeadlines();
			}
		}

		@Override
		public void replied() {
			endDue();
			watchDeadlines();
		}

		@Override
		public void failed(LockException failure) {
			LocalQueue.this.pending = null;
			for (Acquisition<?> caller = this.waiting.poll(); caller != null; caller = this.waiting.poll()) {
				caller.fail(Failures.copy(failure));
			}
			cancelDeadline();
		}

		@Override
		public Duration patience() {
			long now = nanoTime();
			long longest = 0;
			for (Acquisition<?> caller : this.waiting) {
				longest = Math.max(longest, caller.giveUpAt() - now);
			}
			return Duration.ofNanos(longest);
		}

		/**
		 * Create the queue's request with the settings of a caller.
		 */
		private PendingRequest newRequest(Acquisition<?> caller) {
			PendingRequest asking = LocalQueue.this.source.newRequest(LocalQueue.this, LocalQueue.this.callers, this,
					caller.settings());
			LocalQueue.this.pending = asking;
			return asking;
		}

		private void askForNext() {
			Acquisition<?> next = next();
			if (next != null) {
				newRequest(next).askAfterTenure();
			}
		}

		private void withdrawIfNobodyWaits() {
			if (next() == null) {
				cancelDeadline();
			}
			PendingRequest asking = LocalQueue.this.pending;
			if (this.waiting.isEmpty() && asking != null) {
				asking.withdraw();
				LocalQueue.this.pending = null;
			}
		}

		/**
		 * Give the lock to the first caller that still wants it.
		 * @param fresh whether the lock's lease has just begun
		 */
		private void serve(Tenure present, boolean fresh) {
			for (Acquisition<?> next = next(); next != null; next = next()) {
				if (!present.lease().fits(next.settings(), fresh)) {
					renew(present, next);
					return;
				}
				this.waiting.remove();
				if (next.grant(present)) {
					if (next() == null) {
						cancelDeadline();
						this.waiting = NOBODY;
					}
					else if (fresh) {
						// Some callers may have waited only for this reply.
						endDue();
						watchDeadlines();
					}
					return;
				}
			}
			cancelDeadline();
			LocalQueue.this.tenure = null;
			present.end().releaseUnheld();
		}

		private void renew(Tenure present, Acquisition<?> next) {
			present.renewFor(next.settings(), (ours) -> LocalQueue.this.run(() -> renewed(present, next, ours)));
		}

		private void renewed(Tenure present, Acquisition<?> next, boolean ours) {
			if (LocalQueue.this.tenure != present) {
				return;
			}
			// If the lease is in doubt, it may still be too short after the renewal.
			boolean fits = !next.equals(next()) || present.lease().fits(next.settings(), true);
			// The reply may be older than the message about a forced release.
			if (ours && fits && !present.lease().isOver() && present.forced().reportedAt() == null) {
				serve(present, true);
			}
			else {
				LocalQueue.this.tenure = null;
				present.end().releaseUnheld();
				askForNext();
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

		private void watchDeadline(Acquisition<?> newcomer) {
			if (this.deadline == null || newcomer.giveUpAt() - this.deadlineAt < 0) {
				watchDeadlineAt(newcomer.giveUpAt());
			}
		}

		/**
		 * Schedule the next deadline of all waiters: the end of a waiting time, or of the
		 * extra time for a late reply.
		 */
		private void watchDeadlines() {
			cancelDeadline();
			if (this.waiting.isEmpty()) {
				return;
			}
			long now = nanoTime();
			boolean known = !awaitsFirstReply();
			long soonest = Long.MAX_VALUE;
			for (Acquisition<?> caller : this.waiting) {
				long left = caller.giveUpAt() - now;
				if (left > 0) {
					soonest = Math.min(soonest, left);
				}
				else if (known) {
					soonest = Math.min(soonest, endOf(caller) - now);
				}
			}
			if (soonest < Long.MAX_VALUE) {
				watchDeadlineAt(now + soonest);
			}
		}

		/**
		 * Replace the single deadline task of this queue.
		 */
		private void watchDeadlineAt(long time) {
			cancelDeadline();
			this.deadlineAt = time;
			Duration delay = Duration.ofNanos(Math.max(time - nanoTime(), 0));
			this.deadline = LocalQueue.this.source.timer()
				.schedule(() -> LocalQueue.this.callers.run(Callers::deadlineReached), delay);
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
			PendingRequest asking = LocalQueue.this.pending;
			if (asking != null && !asking.isAsking()
					&& this.waiting.stream().anyMatch((caller) -> caller.giveUpAt() - now <= 0)) {
				asking.askUnlessTold();
			}
			endDue();
			watchDeadlines();
		}

		/**
		 * End the waits whose time is over.
		 */
		private void endDue() {
			if (!awaitsFirstReply()) {
				long now = nanoTime();
				Iterator<Acquisition<?>> all = this.waiting.iterator();
				while (all.hasNext()) {
					Acquisition<?> caller = all.next();
					if (endOf(caller) - now <= 0) {
						all.remove();
						giveUp(caller);
					}
				}
			}
			withdrawIfNobodyWaits();
		}

		/**
		 * Return when the wait of a caller ends without the lock. If a request is
		 * pending, the caller waits a little longer for the reply, so that a grant is not
		 * wasted.
		 */
		private long endOf(Acquisition<?> caller) {
			PendingRequest asking = LocalQueue.this.pending;
			boolean open = asking != null && asking.isAsking();
			return open ? caller.giveUpAt() + LAST_ANSWER : caller.giveUpAt();
		}

		/**
		 * Return whether a request is pending and there is no earlier reply or failure to
		 * report. The store's timeout limits this wait.
		 */
		private boolean awaitsFirstReply() {
			PendingRequest asking = LocalQueue.this.pending;
			return asking != null && asking.isAsking() && !asking.hasReason();
		}

		private void giveUp(Acquisition<?> caller) {
			PendingRequest asking = LocalQueue.this.pending;
			LockStoreException outage = (asking != null) ? asking.outage() : null;
			if (outage != null) {
				caller.fail(outage);
			}
			else {
				caller.refuse(behind());
			}
		}

		private long nanoTime() {
			return LocalQueue.this.source.timer().nanoTime();
		}

	}

	/**
	 * Creates requests and tenures for a queue.
	 */
	interface Source {

		/**
		 * Return a request that has not been sent yet.
		 * @param target notified when it is the request's turn
		 * @param executor the executor to which the request and its callers are confined
		 * @param callers the callers that the request represents
		 * @param settings the settings of the first caller
		 */
		PendingRequest newRequest(LocalQueue target, SerialExecutor<? extends PendingRequest.Callers> executor,
				PendingRequest.Callers callers, AcquireSettings settings);

		/**
		 * Return a tenure that begins now.
		 */
		Tenure newTenure(Tenure.Listener owner, Grant grant);

		/**
		 * Return the timer of the waiting times.
		 */
		WatchedTimer timer();

	}

}
