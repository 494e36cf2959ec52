package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.Failures;
import io.github.redislock.store.HandOver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The request that stands in the store for a queue of callers: asks, waits until it is
 * told, asks again.
 * <p>
 * Asks with one and the same request each time, so that a question whose answer was lost
 * is simply asked again. About one question a second keeps the place in the store's
 * queue, finds what a lost message did not tell, and notices a dead holder. Ends exactly
 * once. Confined to the executor of its callers, save for {@link #holder()}.
 */
final class PendingRequest {

	private static final Log logger = LogFactory.getLog(PendingRequest.class);

	/** No longer than a claim stays in the store, so that those who wait find its end. */
	private static final Duration LONGEST_HEARTBEAT = Duration.ofSeconds(1);

	/** Who is not told has to find a claim before it ends. */
	private static final Duration LONGEST_PAUSE_UNTOLD = Duration.ofMillis(250);

	/** As often as such programs ask that tell nobody when they let go. */
	private static final Duration LONGEST_PAUSE_FOREIGN = Duration.ofMillis(100);

	/** Between two questions to a store without a queue. */
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

	/** The store may yet do what an unanswered question asked for. */
	private boolean unresolved;

	/** When the last question was asked to which the store said no. */
	private long refusedAt;

	/** How often news may have been lost before that question. */
	private int changesBefore;

	/** The same of the question that is under way. */
	private int changesBeforeAsking;

	/** The lock was taken by force since the question was sent that is under way. */
	private boolean takenByForce;

	/** A hand-over that came while a question was under way. */
	private @Nullable HandOver early;

	/** Who had the lock before, if it is granted now. */
	private HandOverKind origin = HandOverKind.NONE;

	/** Read from anywhere. */
	private volatile @Nullable LockState holder;

	private @Nullable LockStoreException failure;

	private @Nullable Future<?> pause;

	private int polls;

	/**
	 * Create a request that has not asked yet.
	 * @param executor to which this is confined
	 * @param dispatcher tells the target when the request's turn has come
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
	 * Ask the store, or once more if it is being asked.
	 */
	void ask() {
		if (this.state != State.PAUSING) {
			this.state = (this.state == State.ASKING) ? State.ASKING_AGAIN : this.state;
			return;
		}
		long askedAt = beginToAsk();
		this.store.acquire(this.request.askedAt(askedAt, this.callers.patience(), !hasReason()))
			.whenComplete((answer, failed) -> this.executor.run((callers) -> answered(askedAt, answer, failed)));
	}

	/**
	 * Ask the store in one step with the release of the lock.
	 */
	void askByYielding(Tenure released) {
		long askedAt = beginToAsk();
		this.origin = HandOverKind.LOCAL;
		this.holder = released.state();
		released.yieldAndAcquire(this.request.askedAt(askedAt))
			.whenComplete((answer, failed) -> this.executor
				.run((callers) -> answered(askedAt, (answer != null) ? answer.next() : null, failed)));
	}

	/**
	 * Ask now, since news may have been lost.
	 */
	void askAnew() {
		this.polls = 0;
		ask();
	}

	/**
	 * Ask now, since the store says that it is our turn.
	 */
	void turnHasCome(String requestId) {
		if (this.request.requestId().equals(requestId)) {
			this.origin = HandOverKind.REMOTE;
			askAnew();
		}
	}

	/**
	 * Ask now, unless the store will tell by itself.
	 */
	void askUnlessTold() {
		if (this.place != Place.TOLD) {
			ask();
		}
	}

	/**
	 * Return who had the lock when the store was last asked. Called from anywhere.
	 */
	@Nullable LockState holder() {
		return this.holder;
	}

	boolean isAsking() {
		return this.state == State.ASKING || this.state == State.ASKING_AGAIN;
	}

	/**
	 * The store tells that it is our turn, and that the lock is ours for a while.
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
	 * Trust nothing that was granted up to now and not seen yet: the lock was taken by
	 * force from a holder.
	 */
	void takenByForce() {
		if (isAsking()) {
			this.takenByForce = true;
			this.state = (this.early != null) ? State.ASKING_AGAIN : this.state;
			this.early = null;
		}
	}

	/**
	 * Stop waiting. The store passes on a grant that is on its way, and only where a
	 * question is still open it has to remember that nobody waits for the answer.
	 */
	void withdraw() {
		boolean open = isAsking() || this.unresolved;
		end();
		if (open) {
			this.store.withdraw(this.request, () -> Duration.ZERO);
		}
		else if (this.place != Place.NONE) {
			this.store.withdrawAnswered(this.request);
		}
	}

	/**
	 * Return whether a question was answered, or has failed.
	 */
	boolean hasReason() {
		return this.failure != null || this.holder != null;
	}

	/**
	 * Return what to tell a caller that leaves, if the last question has failed. One that
	 * is open is withdrawn, or goes on for others.
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

	private void answered(long askedAt, @Nullable AcquireAnswer answer, @Nullable Throwable failed) {
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
		if (answer instanceof AcquireAnswer.Granted granted) {
			granted(askedAt, granted);
		}
		else if (answer instanceof AcquireAnswer.Held held) {
			refused(askedAt, held, came, stale);
		}
		else if (failed != null) {
			failed(Failures.of(this.request.target(), failed), came);
		}
		else if (answer instanceof AcquireAnswer.Failed instead) {
			failed(instead.reason(), came);
		}
		else {
			fail(new LockStoreException(this.request.target(),
					"Lock '%s' not acquired: the store answered %s".formatted(this.request.target(), answer), null,
					false, true));
		}
	}

	private void granted(long askedAt, AcquireAnswer.Granted granted) {
		if (this.takenByForce) {
			this.unresolved = true;
			ask();
			return;
		}
		LeaseDeadline lease = new LeaseDeadline(this.timer, this.settings.lease(), askedAt);
		if (!lease.isOver()) {
			end();
			long token = granted.fencingToken();
			begin(granted.quick() ? this.request.grantedQuickly(token) : this.request, lease, token, this.origin,
					this.changesBeforeAsking);
			return;
		}
		// The answer took longer than the lease lasts: ask for a new one.
		this.unresolved = true;
		this.failure = new LockStoreException(this.request.target(),
				"Lock '%s' not acquired: the store's answer came after the lease of %s was over"
					.formatted(this.request.target(), this.settings.lease()),
				null, true, true);
		goOnWaiting(retryDelay());
	}

	private void refused(long askedAt, AcquireAnswer.Held held, @Nullable HandOver came, boolean stale) {
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
	 * Tell once behind whom this request waits.
	 */
	private void tellHolder(LockState present) {
		LockState former = this.holder;
		if (this.request.claim() == null || !logger.isDebugEnabled()
				|| (former != null && former.owner().equals(present.owner()))) {
			return;
		}
		String queue = (present.waiters() != null) ? ", %d in the queue".formatted(present.waiters()) : "";
		logger.debug("Lock '%s' waited for by this instance%s: %s".formatted(this.request.target(), queue,
				present.describe()));
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
	 * Return whether the store had too many questions to be asked this one: that is no
	 * outage, and what it said before is still the last that is known.
	 */
	private static boolean isUnasked(LockStoreException outage) {
		return !outage.isOutcomeUnknown() && outage.getCause() instanceof RejectedExecutionException;
	}

	/**
	 * Take a lock that was handed over, if it is surely ours for a while; else ask.
	 * <p>
	 * The hand-over followed the question whose time stamp it brings back, so the claim
	 * is counted from there. Had a later question been answered with no, the claim would
	 * be over.
	 */
	private void take(HandOver handOver) {
		if (this.state == State.ENDED) {
			return;
		}
		if (mayTake() && handOver.askedAt() - this.refusedAt >= 0) {
			LeaseDeadline lease = LeaseDeadline.claim(this.timer, this.settings.lease(), handOver.askedAt());
			if (lease.isTrustworthy()) {
				end();
				begin(this.request, lease, handOver.fencingToken(), HandOverKind.REMOTE, this.changesBefore);
				return;
			}
		}
		this.origin = HandOverKind.REMOTE;
		goOnWaiting(Duration.ZERO);
	}

	private void begin(AcquireRequest granted, LeaseDeadline lease, long fencingToken, HandOverKind from, int changes) {
		this.callers.granted(
				new Grant(granted, this.settings, lease, fencingToken, this.unresolved, from, changes, this.holder));
	}

	/**
	 * Return whether a lock that was handed over is to be taken without asking: it is, if
	 * nothing about it is the caller's own.
	 */
	private boolean mayTake() {
		return this.settings.isShareable();
	}

	private void goOnWaiting(Duration pause) {
		this.callers.answered();
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
	 * Give up for the whole queue.
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
		Duration usual = (this.place == Place.TOLD) ? heartbeat()
				: atLeastAsLongAsTheAnswerTook(askedAt, poll(present));
		if (present.neverExpires()) {
			return usual;
		}
		Duration endOfLease = present.freeIn().plus(AFTER_END_OF_LEASE);
		return (endOfLease.compareTo(usual) < 0) ? endOfLease : usual;
	}

	/**
	 * A store that is slow since many ask it is left alone for half of the time.
	 */
	private Duration atLeastAsLongAsTheAnswerTook(long askedAt, Duration pause) {
		Duration took = Duration.ofNanos(this.timer.nanoTime() - askedAt);
		Duration longest = (took.compareTo(LONGEST_HEARTBEAT) < 0) ? took : LONGEST_HEARTBEAT;
		return (longest.compareTo(pause) > 0) ? longest : pause;
	}

	private Duration heartbeat() {
		return this.jitter.between(LONGEST_HEARTBEAT.multipliedBy(4).dividedBy(5), LONGEST_HEARTBEAT);
	}

	/**
	 * Twice as long each time.
	 */
	private Duration poll(LockState present) {
		Duration retryDelay = this.settings.retryDelay();
		Duration longest = LONGEST_PAUSE_UNTOLD;
		if (this.place == Place.NONE || present.fencingToken() == null) {
			Duration usual = (this.place != Place.NONE) ? LONGEST_PAUSE_FOREIGN : LONGEST_PAUSE_UNQUEUED;
			longest = (retryDelay.compareTo(usual) > 0) ? retryDelay : usual;
		}
		Duration doubled = retryDelay.multipliedBy(1L << Math.min(this.polls, 20));
		this.polls++;
		return this.jitter.around((doubled.compareTo(longest) < 0) ? doubled : longest);
	}

	/**
	 * Who is not heard of for some seconds loses his place.
	 */
	private Duration retryDelay() {
		Duration usual = this.settings.retryDelay();
		boolean tooLong = this.place != Place.NONE && usual.compareTo(LONGEST_HEARTBEAT) > 0;
		return this.jitter.around(tooLong ? LONGEST_HEARTBEAT : usual);
	}

	private void cancelPause() {
		Future<?> present = this.pause;
		if (present != null) {
			present.cancel(false);
			this.pause = null;
		}
	}

	/**
	 * What the request does at this moment.
	 */
	private enum State {

		/** Waits for a message, or until it is time to ask. */
		PAUSING,

		/** Waits for an answer. */
		ASKING,

		/** The same, but something has happened since: the answer may be stale. */
		ASKING_AGAIN,

		/** Has the lock, or wants it no more. */
		ENDED

	}

	/**
	 * What the store keeps for the request.
	 */
	private enum Place {

		/** Nothing: it has to ask again and again. */
		NONE,

		/** A place in its queue, but it has to ask. */
		QUEUED,

		/** A place in its queue, and a message when its turn has come. */
		TOLD;

		static Place of(AcquireAnswer.Held held) {
			if (held.told()) {
				return TOLD;
			}
			return held.queued() ? QUEUED : NONE;
		}

	}

	/**
	 * Those for whom the request stands. All is called in their executor.
	 */
	interface Callers {

		/**
		 * Return how much longer the most patient one waits.
		 */
		Duration patience();

		/**
		 * The store has granted the lock.
		 */
		void granted(Grant grant);

		/**
		 * The store has answered, and the lock is not ours yet.
		 */
		void answered();

		/**
		 * The store does not do what it was asked for.
		 */
		void failed(LockException failure);

	}

}
