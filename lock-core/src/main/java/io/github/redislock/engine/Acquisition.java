package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wait for a lock. Ends exactly once. Thread-safe.
 */
final class Acquisition {

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	private final EngineParts parts;

	private final LockTarget target;

	private final AcquireSettings settings;

	private final @Nullable Taker taker;

	private final LockListener listener;

	private final Consumer<Hold> keeper;

	private final Consumer<Acquisition> leaver;

	private final CompletableFuture<AcquireOutcome> outcome = new CompletableFuture<>();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final long startedAt;

	private final long giveUpAt;

	/**
	 * Create a wait that begins now.
	 * @param taker who will hold the lock, if it is a thread
	 * @param listener hears what becomes of this wait and of the hold
	 * @param keeper is given the hold before the caller hears of it
	 * @param leaver is told that this wait was cancelled
	 */
	Acquisition(EngineParts parts, LockTarget target, AcquireSettings settings, @Nullable Taker taker,
			LockListener listener, Consumer<Hold> keeper, Consumer<Acquisition> leaver) {
		this.parts = parts;
		this.target = target;
		this.settings = settings;
		this.taker = taker;
		this.listener = listener;
		this.keeper = keeper;
		this.leaver = leaver;
		this.startedAt = parts.timer().nanoTime();
		this.giveUpAt = this.startedAt + Durations.nanos(settings.waitTime());
	}

	LockTarget target() {
		return this.target;
	}

	AcquireSettings settings() {
		return this.settings;
	}

	/**
	 * Return when the waiting time is over.
	 */
	long giveUpAt() {
		return this.giveUpAt;
	}

	boolean isEnded() {
		return this.ended.get();
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

	/**
	 * Return what to tell the caller if it does not get the lock.
	 * @param holder who is in the way, if known
	 */
	AcquireOutcome refused(@Nullable LockState holder) {
		return new AcquireOutcome.Refused(waited(), this.settings.waitTime(), holder);
	}

	/**
	 * Give the lock to this caller.
	 * @return {@code false} if he does not want it any more
	 */
	boolean grant(Tenure tenure) {
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		HandOverKind from = tenure.cameFrom();
		String origin = logger.isDebugEnabled() ? tenure.describeOrigin() : null;
		Hold hold = tenure.begin(this.settings, this.taker, this.listener, HoldHandle::new);
		if (origin != null) {
			logger.debug("Lock '%s' granted after %s (%s), fencing token %d".formatted(target(),
					Durations.describe(waited()), origin, hold.fencingToken()));
		}
		// Listeners always hear before the caller, who may go on to what they have to
		// hear later.
		this.listener.acquired(hold.handle(), waited(), from);
		// Kept before the caller hears of it: he may enter again at once.
		this.keeper.accept(hold);
		this.outcome.complete(new AcquireOutcome.Acquired(HoldHandle.of(hold)));
		return true;
	}

	/**
	 * The same in each run that takes the same course, unlike that of an object.
	 */
	@Override
	public int hashCode() {
		return Long.hashCode(this.startedAt);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	private String describe(AcquireOutcome result) {
		if (result instanceof AcquireOutcome.Failed failed) {
			return "Lock '%s' not waited for any more after %s: %s".formatted(target(), Durations.describe(waited()),
					failed.failure().getMessage());
		}
		LockState holder = (result instanceof AcquireOutcome.Refused refused) ? refused.holder() : null;
		return LockNotAcquiredException.message(target().toString(), this.settings.waitTime(), holder);
	}

	/**
	 * Stop waiting. A grant that is on its way goes to somebody else.
	 * @return whether the acquisition had not ended before
	 */
	boolean cancel(LockException reason) {
		boolean cancelled = end(new AcquireOutcome.Failed(reason));
		if (cancelled) {
			this.leaver.accept(this);
		}
		return cancelled;
	}

	/**
	 * End without the lock.
	 * @return whether the acquisition had not ended before
	 */
	boolean end(AcquireOutcome result) {
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		if (logger.isDebugEnabled()) {
			logger.debug(describe(result));
		}
		if (result instanceof AcquireOutcome.Refused refused) {
			this.listener.refused(target().name(), refused.waited());
		}
		else if (result instanceof AcquireOutcome.Failed failed) {
			this.listener.failed(failed.failure(), waited());
		}
		this.outcome.complete(result);
		return true;
	}

}
