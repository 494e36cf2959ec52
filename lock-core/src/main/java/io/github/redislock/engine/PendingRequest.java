package io.github.redislock.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.AcquireRequest.Attempt;
import io.github.redislock.store.Failures;
import io.github.redislock.store.HandOver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The request that represents a queue of callers in the store. It is sent, waits for a
 * message, and is sent again.
 * <p>
 * The same request is sent each time, so a retry makes up for a lost reply. Sending it
 * about once a second keeps its place in the store's queue, makes up for lost messages,
 * and detects a dead holder. Ends exactly once. Confined to the executor of its callers,
 * except for {@link #holder()}.
 */
final class PendingRequest {

	private static final Log logger = LogFactory.getLog(PendingRequest.class);

	/** As long as a claim, so that waiters notice when a claim has ended. */
	private static final Duration LONGEST_HEARTBEAT = Duration.ofSeconds(1);

	/**
	 * A request that gets no messages has to poll often enough to notice a claim before
	 * it ends.
	 */
	private static final Duration LONGEST_PAUSE_UNTOLD = Duration.ofMillis(250);

	/** The interval at which programs that do not announce releases usually poll. */
	private static final Duration LONGEST_PAUSE_FOREIGN = Duration.ofMillis(100);

	/** The longest pause between two requests to a store without a queue. */
	private static final Duration LONGEST_PAUSE_UNQUEUED = Duration.ofSeconds(1);

	private static final Duration AFTER_END_OF_LEASE = Duration.ofMillis(1);

	private final EngineStore store;

	private final WatchedTimer timer;

	private final Jitter jitter;

	private final HandOverDispatcher dispatcher;

	private final SerialExecutor<? extends Callers> executor;

	private final Callers callers;

	private final AcquireRequest request;

	private final AcquireSettings settings;

	private State state = State.PAUSING;

	private Place place = Place.NONE;

	/** Whether the store may still carry out a request that got no reply. */
	private boolean unresolved;

	/** When the last refused request was sent. */
	private long refusedAt;

	/**
	 * How many times messages may have been lost before the last refused request was
	 * sent.
	 */
	private int changesBefore;

	/** How many times messages may have been lost before the pending request was sent. */
	private int changesBeforeAsking;

	/** Whether the lock was released by force after the current request was sent. */
	private boolean takenByForce;

	/** A hand-over that arrived while a request was pending. */
	private @Nullable HandOver early;

	/** The kind of hand-over to report if the lock is granted now. */
	private HandOverKind origin = HandOverKind.NONE;

	/** The holder according to the store's last reply. Read by any thread. */
	private volatile @Nullable LockState holder;

	private @Nullable LockStoreException failure;

	private @Nullable Future<?> pause;

	private int polls;

	/**
	 * Create a request that has not been sent yet.
	 * @param executor the executor to which this request is confined
	 * @param dispatcher notifies the target when it is the request's turn
	 */
	PendingRequest(EngineStore store, WatchedTimer timer, Jitter jitter, HandOverDispatcher dispatcher,
			HandOverDispatcher.Target target, SerialExecutor<? extends Callers> executor, Callers callers,
			AcquireRequest request, AcquireSettings settings) {
		this.store = store;
		this.timer = timer;
		this.jitter = jitter;
		this.dispatcher = dispatcher;
		this.executor = executor;
		this.callers = callers;
		this.request = request;
		this.settings = settings;
		this.refusedAt = timer.nanoTime();
		this.changesBefore = dispatcher.changes();
		if (request.claim() != null) {
			dispatcher.add(request.requestId(), target);
		}
	}

	/**
	 * Send the request to the store. If one is already pending, send it again after the
	 * reply.
	 */
	void ask() {
		if (this.state != State.PAUSING) {
			this.state = (this.state == State.ASKING) ? State.ASKING_AGAIN : this.state;
			return;
		}
		long askedAt = beginToAsk();
		this.store.acquire(this.request.sentAs(new Attempt(askedAt, this.callers.patience(), !hasReason())))
			.whenComplete((reply, failed) -> this.executor.run((callers) -> replied(askedAt, reply, failed)));
	}

	/**
	 * Release the lock and send the request in one step.
	 */
	void askByYielding(Tenure released) {
		long askedAt = beginToAsk();
		this.origin = HandOverKind.LOCAL;
		this.holder = released.state();
		released.end()
			.yieldAndAcquire(this.request.sentAs(new Attempt(askedAt)))
			.whenComplete((reply, failed) -> this.executor
				.run((callers) -> replied(askedAt, (reply != null) ? reply.next() : null, failed)));
	}

	/**
	 * Send the request for callers that waited for a holder in this process. They have
	 * already waited, so they do not wait for the first reply beyond their waiting time.
	 */
	void askAfterTenure() {
		this.failure = new LockStoreException(this.request.target(),
				"Lock '%s' not acquired: the store has not replied since this instance last had the lock"
					.formatted(this.request.target()),
				null, true, true);
		ask();
	}

	/**
	 * Send the request now because messages may have been lost.
	 */
	void askAnew() {
		this.polls = 0;
		ask();
	}

	/**
	 * Send the request now because the store reports that it is our turn.
	 */
	void turnHasCome(String requestId) {
		if (this.request.requestId().equals(requestId)) {
			this.origin = HandOverKind.REMOTE;
			askAnew();
		}
	}

	/**
	 * Send the request now, unless the store will send a message.
	 */
	void askUnlessTold() {
		if (this.place != Place.TOLD) {
			ask();
		}
	}

	/**
	 * Return the holder according to the store's last reply. Called on any thread.
	 */
	@Nullable LockState holder() {
		return this.holder;
	}

	boolean isAsking() {
		return this.state == State.ASKING || this.state == State.ASKING_AGAIN;
	}

	/**
	 * Handle the store's message that the lock was handed over and is ours for a while.
	 */
	void handedOver(HandOver handOver) {
		if (!this.request.requestId().equals(handOver.requestId())) {
			return;
		}
		if (isAsking()) {
			this.early = handOver;
		}
		else {
			take(handOver);
		}
	}

	/**
	 * Ignore any earlier grant that has not been processed yet, because the lock was
	 * released by force.
	 */
	void takenByForce() {
		if (isAsking()) {
			this.takenByForce = true;
			this.state = (this.early != null) ? State.ASKING_AGAIN : this.state;
			this.early = null;
		}
	}

	/**
	 * Stop waiting. The store passes on a grant that has not been received yet. It has to
	 * remember the withdrawal only if a request may still arrive.
	 */
	void withdraw() {
		boolean open = isAsking() || this.unresolved;
		end();
		if (open) {
			this.store.withdraw(this.request, () -> Duration.ZERO);
		}
		else if (this.place != Place.NONE) {
			this.store.withdrawReplied(this.request);
		}
	}

	/**
	 * Return whether there is a holder or a failure to report to a caller that stops
	 * waiting.
	 */
	boolean hasReason() {
		return this.failure != null || this.holder != null;
	}

	/**
	 * Return the failure for a caller that stops waiting, if the last request has failed.
	 * If a request is still pending, the failure says that the outcome is unknown.
	 */
	@Nullable LockStoreException outage() {
		LockStoreException outage = this.failure;
		if (outage == null) {
			return null;
		}
		return isAsking() ? Failures.withUnknownOutcome(outage) : Failures.copy(outage);
	}

	private long beginToAsk() {
		this.state = State.ASKING;
		this.takenByForce = false;
		this.changesBeforeAsking = this.dispatcher.changes();
		cancelPause();
		return this.timer.nanoTime();
	}

	private void replied(long askedAt, @Nullable AcquireReply reply, @Nullable Throwable failed) {
		if (this.state == State.ENDED) {
			return;
		}
		boolean stale = this.state == State.ASKING_AGAIN;
		this.state = State.PAUSING;
		HandOver came = this.early;
		this.early = null;
		if (came != null) {
			this.origin = HandOverKind.REMOTE;
		}
		if (reply instanceof AcquireReply.Granted granted) {
			granted(askedAt, granted);
		}
		else if (reply instanceof AcquireReply.Held held) {
			refused(askedAt, held, came, stale);
		}
		else if (failed != null) {
			failed(Failures.of(this.request.target(), failed), came);
		}
		else if (reply instanceof AcquireReply.Failed instead) {
			failed(instead.reason(), came);
		}
		else {
			fail(new LockStoreException(this.request.target(),
					"Lock '%s' not acquired: the store replied %s".formatted(this.request.target(), reply), null, false,
					true));
		}
	}

	private void granted(long askedAt, AcquireReply.Granted granted) {
		if (this.takenByForce) {
			this.unresolved = true;
			ask();
			return;
		}
		LeaseDeadline lease = new LeaseDeadline(this.timer, this.settings, askedAt);
		if (!lease.isOver()) {
			end();
			begin(granted, lease, this.origin, this.changesBeforeAsking);
			return;
		}
		// The reply took longer than the lease, so request a new one. Do it soon, because
		// the store may keep the lock for us.
		this.unresolved = true;
		this.failure = new LockStoreException(this.request.target(),
				"Lock '%s' not acquired: the store's reply came after the lease of %s was over"
					.formatted(this.request.target(), this.settings.lease()),
				null, true, true);
		goOnWaiting(Durations.min(retryDelay(), LONGEST_HEARTBEAT));
	}

	private void refused(long askedAt, AcquireReply.Held held, @Nullable HandOver came, boolean stale) {
		this.failure = null;
		tellHolder(held.holder());
		this.holder = held.holder();
		this.place = Place.of(held);
		this.refusedAt = askedAt;
		this.changesBefore = this.changesBeforeAsking;
		boolean turnCame = stale && this.origin == HandOverKind.REMOTE;
		this.origin = turnCame ? HandOverKind.REMOTE : HandOverKind.NONE;
		if (came != null) {
			take(came);
		}
		else {
			goOnWaiting(stale ? Duration.ZERO : untilNextQuestion(askedAt, held.holder()));
		}
	}

	/**
	 * Log the holder for which this request waits, once for each holder.
	 */
	private void tellHolder(LockState present) {
		LockState former = this.holder;
		if (this.request.claim() == null || !logger.isDebugEnabled()
				|| (former != null && Objects.equals(former.owner(), present.owner()))) {
			return;
		}
		String queue = (present.waiters() != null) ? " (%d in the queue)".formatted(present.waiters()) : "";
		logger.debug(
				"Lock '%s' not available, waiting%s: %s".formatted(this.request.target(), queue, present.describe()));
	}

	private void failed(LockException failed, @Nullable HandOver came) {
		if (!(failed instanceof LockStoreException outage)) {
			fail(failed);
			return;
		}
		this.unresolved |= outage.isOutcomeUnknown();
		if (came != null) {
			take(came);
			return;
		}
		if (!outage.isRetryable()) {
			fail(outage);
			return;
		}
		if (this.holder == null || !isUnasked(outage)) {
			this.failure = outage;
		}
		goOnWaiting(retryDelay());
	}

	/**
	 * Return whether the request was not sent because too many were pending. That is not
	 * an outage, and the previous reply is still valid.
	 */
	private static boolean isUnasked(LockStoreException outage) {
		return !outage.isOutcomeUnknown() && outage.getCause() instanceof RejectedExecutionException;
	}

	/**
	 * Accept a lock that was handed over if it is certainly ours for a while. Otherwise,
	 * send the request.
	 * <p>
	 * The hand-over contains the time stamp of the request that it follows, so the claim
	 * is counted from that time. The claim has ended if a later request was refused. A
	 * claim uses up the place in the queue, so that a later request joins at the tail.
	 */
	private void take(HandOver handOver) {
		if (this.state == State.ENDED) {
			return;
		}
		if (mayTake() && handOver.askedAt() - this.refusedAt >= 0) {
			LeaseDeadline lease = LeaseDeadline.claim(this.timer, this.settings, handOver.askedAt());
			if (lease.isTrustworthy()) {
				end();
				begin(new AcquireReply.Granted(handOver.fencingToken()), lease, HandOverKind.REMOTE,
						this.changesBefore);
				return;
			}
		}
		this.origin = HandOverKind.REMOTE;
		goOnWaiting(Duration.ZERO);
	}

	private void begin(AcquireReply.Granted granted, LeaseDeadline lease, HandOverKind from, int changes) {
		AcquireRequest kept = granted.quick() ? this.request.withoutId() : this.request;
		this.callers.granted(new Grant(kept, this.settings, lease, granted.fencingToken(), granted.quick(),
				this.unresolved, from, changes, this.holder));
	}

	/**
	 * Return whether a lock that was handed over may be accepted without another request.
	 * This requires that no setting is specific to one caller.
	 */
	private boolean mayTake() {
		return this.settings.mayBePassedOn();
	}

	private void goOnWaiting(Duration pause) {
		this.callers.replied();
		if (this.state != State.PAUSING) {
			return;
		}
		if (pause.isZero()) {
			ask();
		}
		else {
			cancelPause();
			this.pause = this.timer.schedule(() -> this.executor.run((callers) -> ask()), pause);
		}
	}

	/**
	 * End this request and let all callers fail.
	 */
	private void fail(LockException reason) {
		withdraw();
		this.callers.failed(reason);
	}

	private void end() {
		this.state = State.ENDED;
		cancelPause();
		this.dispatcher.remove(this.request.requestId());
	}

	private Duration untilNextQuestion(long askedAt, LockState present) {
		Duration usual = (this.place == Place.TOLD) ? heartbeat() : atLeastAsLongAsTheReplyTook(askedAt, poll(present));
		if (present.neverExpires()) {
			return usual;
		}
		Duration endOfLease = present.freeIn().plus(AFTER_END_OF_LEASE);
		return Durations.min(endOfLease, usual);
	}

	/**
	 * Pause for at least as long as the reply took, so that a store that is slow under
	 * load gets a break between polls.
	 */
	private Duration atLeastAsLongAsTheReplyTook(long askedAt, Duration pause) {
		Duration took = Duration.ofNanos(this.timer.nanoTime() - askedAt);
		return Durations.max(Durations.min(took, LONGEST_HEARTBEAT), pause);
	}

	private Duration heartbeat() {
		return this.jitter.between(LONGEST_HEARTBEAT.multipliedBy(4).dividedBy(5), LONGEST_HEARTBEAT);
	}

	/**
	 * Return the pause before the next poll, which doubles each time up to a limit.
	 */
	private Duration poll(LockState present) {
		Duration retryDelay = this.settings.retryDelay();
		Duration longest = LONGEST_PAUSE_UNTOLD;
		if (this.place == Place.NONE || present.fencingToken() == null) {
			Duration usual = (this.place != Place.NONE) ? LONGEST_PAUSE_FOREIGN : LONGEST_PAUSE_UNQUEUED;
			longest = Durations.max(retryDelay, usual);
		}
		Duration doubled = retryDelay.multipliedBy(1L << Math.min(this.polls, 20));
		this.polls++;
		return this.jitter.around(Durations.min(doubled, longest));
	}

	/**
	 * Return the pause after a failure. It is limited, because a request that is not
	 * repeated for seconds loses its place in the queue.
	 */
	private Duration retryDelay() {
		Duration usual = this.settings.retryDelay();
		return this.jitter.around((this.place != Place.NONE) ? Durations.min(usual, LONGEST_HEARTBEAT) : usual);
	}

	private void cancelPause() {
		Future<?> present = this.pause;
		if (present != null) {
			present.cancel(false);
			this.pause = null;
		}
	}

	/**
	 * The current state of the request.
	 */
	private enum State {

		/** Waiting for a message or the next time to send the request. */
		PAUSING,

		/** Waiting for a reply. */
		ASKING,

		/** Waiting for a reply that may be stale. */
		ASKING_AGAIN,

		/** Granted, withdrawn or failed. */
		ENDED

	}

	/**
	 * The place of the request in the store's queue.
	 */
	private enum Place {

		/** Not in a queue: the request has to poll. */
		NONE,

		/** In the queue, but the request has to poll. */
		QUEUED,

		/** In the queue, and notified when it is the request's turn. */
		TOLD;

		static Place of(AcquireReply.Held held) {
			if (held.notified()) {
				return TOLD;
			}
			return held.queued() ? QUEUED : NONE;
		}

	}

	/**
	 * The callers that the request represents. Called in their executor.
	 */
	interface Callers {

		/**
		 * Return the longest remaining waiting time of all callers.
		 */
		Duration patience();

		/**
		 * The store has granted the lock.
		 */
		void granted(Grant grant);

		/**
		 * A request was refused or has failed, and will be sent again.
		 */
		void replied();

		/**
		 * The store has failed or refused the request.
		 */
		void failed(LockException failure);

	}

}
