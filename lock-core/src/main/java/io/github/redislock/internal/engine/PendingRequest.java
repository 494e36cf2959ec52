package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.AcquireRequest.Attempt;
import io.github.redislock.store.HandOver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The request that represents a queue of callers in the store. It is sent, waits for a
 * message, and is sent again.
 * <p>
 * The same request is sent each time, so a retry makes up for a lost reply. Sending it
 * again also keeps its place in the store's queue, makes up for lost messages, and
 * detects a dead holder. Ends exactly once. Confined to the executor of its callers,
 * except for {@link #holder()} and the methods that receive messages.
 */
final class PendingRequest implements StoreMessages.RequestListener {

	private static final Log logger = LogFactory.getLog(PendingRequest.class);

	private static final Future<?> NO_PAUSE = CompletableFuture.completedFuture(null);

	private final EngineStore store;

	private final JumpDetectingTimer timer;

	private final StoreMessages messages;

	private final Executor executor;

	private final WaitingCallers callers;

	private final AcquireRequest request;

	private final AcquireSettings settings;

	private final RequestPauses pauses;

	private State state = State.PAUSING;

	/** The last refusal, which says whether this request is in the store's queue. */
	private AcquireReply.@Nullable Held refusal;

	/** Whether the store may still carry out a request that got no reply. */
	private boolean unresolved;

	/** When the first request was sent. */
	private @Nullable Long firstSentAt;

	/** When the last refused request was sent. */
	private long refusedAt;

	/**
	 * How often the channel for messages had changed when the last refused request was
	 * sent.
	 */
	private int channelChangesBefore;

	/** How often the channel for messages had changed when the request was last sent. */
	private int channelChangesBeforeSending;

	/** Whether the lock was released by force after the pending request was sent. */
	private boolean takenByForce;

	/** A hand-over that arrived before the reply to the pending request. */
	private @Nullable HandOver early;

	/** The kind of hand-over to report if the lock is granted now. */
	private HandOverKind origin = HandOverKind.NONE;

	/** The last known holder. Read by any thread. */
	private volatile @Nullable LockState holder;

	private @Nullable LockStoreException failure;

	/** The scheduled end of the current or the last pause. */
	private Future<?> pause = NO_PAUSE;

	/**
	 * Create a request that has not been sent yet.
	 * @param executor runs the steps of the callers and of this request, one at a time
	 */
	PendingRequest(EngineParts parts, Executor executor, WaitingCallers callers, AcquireRequest request,
			AcquireSettings settings) {
		this.store = parts.store();
		this.timer = parts.timer();
		this.messages = parts.messages();
		this.executor = executor;
		this.callers = callers;
		this.request = request;
		this.settings = settings;
		this.pauses = new RequestPauses(parts.jitter(), settings.retryDelay());
		this.refusedAt = this.timer.nanoTime();
		this.channelChangesBefore = this.messages.channelChanges();
		if (request.claim() != null) {
			this.messages.add(request.requestId(), this);
		}
	}

	/**
	 * Send the request to the store. If one is already pending, send it again unless that
	 * one gets the lock.
	 */
	void send() {
		if (this.state != State.PAUSING) {
			this.state = (this.state == State.SENT) ? State.SENT_STALE : this.state;
			return;
		}
		long sentAt = beginToSend();
		this.store.acquire(this.request.sentAs(new Attempt(sentAt, this.callers.longestWait(), !hasReason())))
			.whenComplete((reply, failed) -> this.executor.execute(() -> replied(sentAt, reply, failed)));
	}

	/**
	 * Release the lock and send the request, in one step if possible.
	 */
	void sendByYielding(Tenure released) {
		long sentAt = beginToSend();
		this.origin = HandOverKind.LOCAL;
		this.holder = released.state();
		released.yieldAndAcquire(this.request.sentAs(new Attempt(sentAt)))
			.whenComplete((reply, failed) -> this.executor.execute(() -> replied(sentAt, reply, failed)));
	}

	/**
	 * Send the request after this process had the lock. Its callers have already waited,
	 * so they wait for the first reply only as long as for later ones.
	 */
	void sendAfterTenure() {
		this.failure = notAcquired("the store has not replied to the latest request yet", true);
		send();
	}

	/**
	 * Send the request now, unless the store will send a message.
	 */
	void sendUnlessNotified() {
		if (this.refusal == null || !this.refusal.notified()) {
			send();
		}
	}

	@Override
	public void handedOver(HandOver handOver) {
		this.executor.execute(() -> {
			if (awaitsReply()) {
				this.early = handOver;
			}
			else {
				accept(handOver);
			}
		});
	}

	@Override
	public void turnHasCome() {
		this.executor.execute(() -> {
			this.origin = HandOverKind.REMOTE;
			sendNow();
		});
	}

	@Override
	public void messagesMayBeLost() {
		this.executor.execute(this::sendNow);
	}

	private void sendNow() {
		this.pauses.reset();
		send();
	}

	@Nullable LockState holder() {
		return this.holder;
	}

	boolean awaitsReply() {
		return this.state == State.SENT || this.state == State.SENT_STALE;
	}

	/**
	 * Ignore any earlier grant that has not been processed yet, because the lock was
	 * released by force.
	 */
	void takenByForce() {
		if (awaitsReply()) {
			this.takenByForce = true;
			this.state = (this.early != null) ? State.SENT_STALE : this.state;
			this.early = null;
		}
	}

	/**
	 * Stop waiting. If the request may still take effect, it is withdrawn, and the store
	 * passes on a grant that has not been received yet. The store has to remember the
	 * withdrawal only if a request may still arrive.
	 */
	void withdraw() {
		boolean open = awaitsReply() || this.unresolved;
		end();
		if (open || isQueued()) {
			this.store.withdraw(this.request, () -> Duration.ZERO, !open);
		}
	}

	private boolean isQueued() {
		return this.refusal != null && (this.refusal.queued() || this.refusal.notified());
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
		return awaitsReply() ? Failures.withUnknownOutcome(outage) : Failures.copy(outage);
	}

	private long beginToSend() {
		this.state = State.SENT;
		this.takenByForce = false;
		this.channelChangesBeforeSending = this.messages.channelChanges();
		this.pause.cancel(false);
		long now = this.timer.nanoTime();
		this.firstSentAt = Objects.requireNonNullElse(this.firstSentAt, now);
		return now;
	}

	private void replied(long sentAt, @Nullable AcquireReply reply, @Nullable Throwable failed) {
		if (this.state == State.ENDED) {
			return;
		}
		boolean stale = this.state == State.SENT_STALE;
		this.state = State.PAUSING;
		HandOver came = this.early;
		this.early = null;
		if (came != null) {
			this.origin = HandOverKind.REMOTE;
		}
		if (reply instanceof AcquireReply.Granted granted) {
			granted(sentAt, granted, stale);
		}
		else if (reply instanceof AcquireReply.Held held) {
			refused(sentAt, held, came, stale);
		}
		else if (failed != null) {
			failed(Failures.of(this.request.target(), failed), came, stale);
		}
		else {
			fail(notAcquired("the store replied " + reply, false));
		}
	}

	private void granted(long sentAt, AcquireReply.Granted granted, boolean stale) {
		if (this.takenByForce) {
			this.unresolved = true;
			send();
			return;
		}
		Lease lease = new Lease(this.timer, this.settings, sentAt);
		if (lease.standing().isOpen()) {
			begin(granted, lease, this.origin, this.channelChangesBeforeSending);
			return;
		}
		// The reply took longer than the lease, so request a new lease. Do it soon,
		// because the store may keep the lock for us.
		this.unresolved = true;
		this.failure = notAcquired(
				"the store's reply came after the lease of %s was over".formatted(this.settings.lease()), true);
		goOnWaiting(stale ? Duration.ZERO : this.pauses.afterFailure(true));
	}

	private void refused(long sentAt, AcquireReply.Held held, @Nullable HandOver came, boolean stale) {
		this.failure = null;
		logHolder(held.holder());
		this.holder = held.holder();
		this.refusal = held;
		this.refusedAt = sentAt;
		this.channelChangesBefore = this.channelChangesBeforeSending;
		this.origin = (stale && this.origin == HandOverKind.REMOTE) ? HandOverKind.REMOTE : HandOverKind.NONE;
		if (came != null) {
			accept(came);
		}
		else {
			Duration took = Duration.ofNanos(this.timer.nanoTime() - sentAt);
			goOnWaiting(stale ? Duration.ZERO : this.pauses.afterRefusal(held, took));
		}
	}

	/**
	 * Log the holder for which this request waits, unless it is the same as before.
	 */
	private void logHolder(LockState present) {
		LockState former = this.holder;
		if (this.request.claim() == null || !logger.isDebugEnabled()
				|| (former != null && Objects.equals(former.owner(), present.owner()))) {
			return;
		}
		String queue = (present.waiters() != null) ? " (%s in the queue)".formatted(present.waiters()) : "";
		logger.debug(
				"Lock '%s' not available, waiting%s: %s".formatted(this.request.target(), queue, present.describe()));
	}

	private void failed(LockException failed, @Nullable HandOver came, boolean stale) {
		if (!(failed instanceof LockStoreException outage)) {
			fail(failed);
			return;
		}
		this.unresolved |= outage.isOutcomeUnknown();
		if (came != null) {
			// The next request, if one is needed, is not the first one.
			this.failure = outage;
			accept(came);
		}
		else if (!outage.isRetryable()) {
			fail(outage);
		}
		else {
			// If too many requests were pending, this one was not sent. That is not an
			// outage, and the previous reply is still valid.
			boolean unsent = !outage.isOutcomeUnknown() && outage.getCause() instanceof RejectedExecutionException;
			if (this.holder == null || !unsent) {
				this.failure = outage;
			}
			goOnWaiting(stale ? Duration.ZERO : this.pauses.afterFailure(isQueued()));
		}
	}

	/**
	 * Accept a lock that was handed over if it is certainly ours for a while. Otherwise,
	 * send the request.
	 * <p>
	 * The hand-over contains the time at which its request was sent, and the claim counts
	 * from that time. The claim has ended if a later request was refused. A claim uses up
	 * the place in the queue, so a later request joins at the tail.
	 */
	private void accept(HandOver handOver) {
		if (this.state == State.ENDED) {
			return;
		}
		// With an owner token, no expiry or a minimum hold, the request has to be sent.
		Long askedAt = (handOver.askedAt() != null) ? handOver.askedAt() : this.firstSentAt;
		if (this.settings.mayBePassedOn() && askedAt != null && askedAt - this.refusedAt >= 0) {
			Lease lease = Lease.claim(this.timer, this.settings, askedAt);
			if (lease.isTrustworthy()) {
				begin(new AcquireReply.Granted(handOver.fencingToken()), lease, HandOverKind.REMOTE,
						this.channelChangesBefore);
				return;
			}
		}
		this.origin = HandOverKind.REMOTE;
		goOnWaiting(Duration.ZERO);
	}

	private void begin(AcquireReply.Granted granted, Lease lease, HandOverKind from, int channelChangesBefore) {
		end();
		AcquireRequest kept = granted.quick() ? this.request.withoutId() : this.request;
		this.callers.granted(new Grant(kept, this.settings, lease, granted.fencingToken(), granted.quick(),
				this.unresolved, from, channelChangesBefore, this.holder));
	}

	private void goOnWaiting(Duration pause) {
		this.callers.replied();
		if (this.state != State.PAUSING) {
			return;
		}
		if (pause.isZero()) {
			send();
		}
		else {
			this.pause = this.timer.schedule(() -> this.executor.execute(this::send), pause);
		}
	}

	private void fail(LockException reason) {
		withdraw();
		this.callers.failed(reason);
	}

	private LockStoreException notAcquired(String reason, boolean retryable) {
		return new LockStoreException(this.request.target(),
				"Lock '%s' not acquired: %s".formatted(this.request.target(), reason), null, retryable, true);
	}

	private void end() {
		this.state = State.ENDED;
		this.pause.cancel(false);
		this.messages.remove(this.request.requestId());
	}

	/**
	 * The current state of the request.
	 */
	private enum State {

		/** Waiting for a message or the next time to send the request. */
		PAUSING,

		/** Waiting for a reply. */
		SENT,

		/**
		 * Waiting for a reply that may be stale. If it grants nothing, the request is
		 * sent again.
		 */
		SENT_STALE,

		/** Granted, withdrawn or failed. */
		ENDED

	}

}
