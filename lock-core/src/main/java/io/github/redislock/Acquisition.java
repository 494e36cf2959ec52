package io.github.redislock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.LockStore.AcquireRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way to a lock: asks the store, waits its turn, gives up.
 * <p>
 * Asks with one and the same request each time, so that a question whose answer was lost
 * is simply asked again. Ends exactly once; whoever calls it off leaves nothing behind in
 * the store. Thread-safe.
 */
final class Acquisition {

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	private final EngineParts parts;

	private final WaitingRoom room;

	private final RandomGenerator random;

	private final AcquireSettings settings;

	private final AcquireRequest request;

	private final Consumer<Hold> keeper;

	private final CompletableFuture<AcquireOutcome> outcome = new CompletableFuture<>();

	private final long startedAt;

	private final long giveUpAt;

	/**
	 * Everything below is guarded by this acquisition's monitor, never held while calling
	 * out.
	 */
	private boolean ended;

	private boolean head;

	private boolean asking;

	/**
	 * Told that the lock may be free since the last question was sent: its answer may be
	 * stale.
	 */
	private boolean woken;

	/** Not in the queue any more: the next one is to be woken instead. */
	private boolean left;

	/** The store may yet do what an unanswered question asked for. */
	private boolean unresolved;

	private @Nullable Future<?> sleep;

	Acquisition(EngineParts parts, WaitingRoom room, RandomGenerator random, AcquireSettings settings,
			AcquireRequest request, Consumer<Hold> keeper) {
		this.parts = parts;
		this.room = room;
		this.random = random;
		this.settings = settings;
		this.request = request;
		this.keeper = keeper;
		this.startedAt = parts.timer().nanoTime();
		this.giveUpAt = this.startedAt + Durations.nanos(settings.waitTime());
	}

	LockTarget target() {
		return this.request.target();
	}

	/**
	 * Return how this acquisition ends. Completed on any thread.
	 */
	CompletableFuture<AcquireOutcome> outcome() {
		return this.outcome;
	}

	/**
	 * Return the time since this acquisition began.
	 */
	Duration waited() {
		return Duration.ofNanos(this.parts.timer().nanoTime() - this.startedAt);
	}

	void start() {
		// Who does not wait asks past the queue: the store alone decides.
		if (this.settings.waitTime().isZero() || this.room.enter(this)) {
			synchronized (this) {
				this.head = true;
			}
			ask();
		}
		else {
			sleep();
		}
	}

	/**
	 * Become the one who asks for this process. The one before got the lock or gave up,
	 * so the lock is most likely taken still.
	 */
	void moveUp() {
		synchronized (this) {
			this.head = true;
		}
		sleep();
	}

	/**
	 * Ask now: the lock may be free.
	 */
	void wake() {
		boolean left;
		synchronized (this) {
			this.woken = true;
			left = this.left;
		}
		if (left) {
			this.room.wake(target());
		}
		else {
			ask();
		}
	}

	/**
	 * Stop waiting. A grant that is on its way is taken back.
	 * @return whether the acquisition had not ended before
	 */
	boolean cancel(LockException reason) {
		return end(new AcquireOutcome.Failed(reason));
	}

	private void ask() {
		synchronized (this) {
			if (this.ended || this.asking) {
				return;
			}
			this.asking = true;
			this.woken = false;
			cancelSleep();
		}
		long askedAt = this.parts.timer().nanoTime();
		this.parts.store().acquire(this.request).whenComplete((answer, failure) -> {
			if (failure != null) {
				failed(Failures.ofStore(target(), failure));
			}
			else if (answer instanceof AcquireAnswer.Granted granted) {
				granted(askedAt, granted.fencingToken());
			}
			else if (answer instanceof AcquireAnswer.Held held) {
				refused(held.holder());
			}
			else {
				failed(new LockStoreException(target().name(),
						"Lock '%s' not acquired: the store answered %s".formatted(target(), answer), null, false,
						true));
			}
		});
	}

	private void granted(long askedAt, long fencingToken) {
		boolean lateRequest;
		synchronized (this) {
			lateRequest = this.unresolved;
		}
		// Still asking: whoever calls it off now has to take this grant back.
		Hold hold = new Hold(this.parts, this.request, this.settings, askedAt, fencingToken, lateRequest);
		if (!hold.isHeld()) {
			// The answer took longer than the lease lasts: ask for a new one.
			synchronized (this) {
				this.asking = false;
				this.unresolved = true;
			}
			giveUpOrSleep(new AcquireOutcome.Failed(tooLate()));
		}
		else if (markEnded(true)) {
			logger.debug("Lock '%s' acquired, fencing token %d".formatted(target(), fencingToken));
			this.parts.listener().acquired(hold.handle(), waited());
			// Kept before the caller hears of it: he may enter again at once.
			this.keeper.accept(hold);
			complete(new AcquireOutcome.Acquired(hold.handle()));
		}
	}

	private void refused(LockState holder) {
		boolean stale;
		synchronized (this) {
			this.asking = false;
			stale = this.woken;
		}
		if (stale) {
			ask();
			return;
		}
		giveUpOrSleep(new AcquireOutcome.Refused(waited(), holder));
	}

	private void failed(LockStoreException failure) {
		synchronized (this) {
			this.asking = false;
			this.unresolved |= failure.isOutcomeUnknown();
		}
		if (failure.isRetryable()) {
			giveUpOrSleep(new AcquireOutcome.Failed(failure));
		}
		else {
			end(new AcquireOutcome.Failed(failure));
		}
	}

	private void giveUpOrSleep(AcquireOutcome giveUp) {
		if (this.parts.timer().nanoTime() - this.giveUpAt >= 0) {
			end(giveUp);
		}
		else {
			sleep();
		}
	}

	/**
	 * Sleep until it is time for the next question: the head's comes soon, everybody
	 * else's when the waiting time is over.
	 */
	private void sleep() {
		long left = this.giveUpAt - this.parts.timer().nanoTime();
		synchronized (this) {
			if (this.ended || this.asking) {
				return;
			}
			cancelSleep();
			long pause = this.head ? Math.min(pause(), left) : left;
			this.sleep = this.parts.timer().schedule(this::ask, Duration.ofNanos(pause));
		}
	}

	/**
	 * Return the time between two questions, with some chance so that processes do not
	 * ask in step.
	 */
	private long pause() {
		long delay = Durations.nanos(this.settings.retryDelay());
		return delay - delay / 10 + this.random.nextLong(delay / 5 + 1);
	}

	private void cancelSleep() {
		Future<?> present = this.sleep;
		if (present != null) {
			present.cancel(false);
			this.sleep = null;
		}
	}

	private boolean end(AcquireOutcome result) {
		if (!markEnded(false)) {
			return false;
		}
		tell(result);
		complete(result);
		return true;
	}

	private boolean markEnded(boolean acquired) {
		boolean leftBehind;
		synchronized (this) {
			if (this.ended) {
				return false;
			}
			this.ended = true;
			cancelSleep();
			leftBehind = !acquired && (this.asking || this.unresolved);
		}
		if (leftBehind) {
			LettingGo.withdraw(this.parts, this.request);
		}
		return true;
	}

	/**
	 * Tell the listeners, always before the caller, who may go on to what they have to
	 * hear later.
	 */
	private void tell(AcquireOutcome result) {
		if (result instanceof AcquireOutcome.Refused refused) {
			this.parts.listener().refused(target().name(), refused.waited());
		}
		else if (result instanceof AcquireOutcome.Failed failed) {
			this.parts.listener().failed(failed.failure(), waited());
		}
	}

	private void complete(AcquireOutcome result) {
		leave(result instanceof AcquireOutcome.Acquired);
		this.outcome.complete(result);
	}

	private void leave(boolean acquired) {
		Acquisition next = this.room.leave(this);
		boolean mayBeFree;
		synchronized (this) {
			this.left = true;
			mayBeFree = this.woken && !acquired;
		}
		if (next == null) {
			return;
		}
		next.moveUp();
		if (mayBeFree) {
			// Who was woken and did not ask hands the word on.
			next.wake();
		}
	}

	private LockStoreException tooLate() {
		return new LockStoreException(target().name(),
				"Lock '%s' not acquired: the store's answer came after the lease of %s was over".formatted(target(),
						this.settings.lease()),
				null, true, true);
	}

}
