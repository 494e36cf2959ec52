package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wait for a lock. Ends exactly once. Thread-safe.
 *
 * @param <H> the type of the caller's handle
 */
final class Acquisition<H> {

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	private final Registry registry;

	private final JumpDetectingTimer timer;

	private final LockTarget target;

	private final AcquireSettings settings;

	private final HoldMonitor monitor;

	private final LockListener listener;

	private final BiFunction<Hold, AcquireSettings, H> handles;

	private final @Nullable HoldingWait holding;

	private final CompletableFuture<AcquireOutcome<H>> outcome = new CompletableFuture<>();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final long startedAt;

	private final long giveUpAt;

	/**
	 * Create a wait that begins now.
	 * @param registry registers the end of this wait, and the hold if the lock is granted
	 * @param monitor watches the hold
	 * @param listener receives the events of this wait and of the hold
	 * @param handles creates the caller's handle of a hold
	 * @param holding the data for deadlock detection if the caller holds other locks,
	 * otherwise {@code null}
	 */
	Acquisition(Registry registry, JumpDetectingTimer timer, LockTarget target, AcquireSettings settings,
			HoldMonitor monitor, LockListener listener, BiFunction<Hold, AcquireSettings, H> handles,
			@Nullable HoldingWait holding) {
		this.registry = registry;
		this.timer = timer;
		this.target = target;
		this.settings = settings;
		this.monitor = monitor;
		this.listener = listener;
		this.handles = handles;
		this.startedAt = timer.nanoTime();
		this.giveUpAt = this.startedAt + Durations.nanos(settings.waitTime());
		this.holding = holding;
	}

	LockTarget target() {
		return this.target;
	}

	AcquireSettings settings() {
		return this.settings;
	}

	long giveUpAt() {
		return this.giveUpAt;
	}

	boolean isEnded() {
		return this.ended.get();
	}

	/**
	 * Return the outcome of this acquisition. The future may complete on any thread.
	 */
	CompletableFuture<AcquireOutcome<H>> outcome() {
		return this.outcome;
	}

	Duration waited() {
		return Duration.ofNanos(this.timer.nanoTime() - this.startedAt);
	}

	/**
	 * Give the lock to this caller.
	 * @return {@code false} if the caller no longer wants it
	 */
	boolean grant(Tenure tenure) {
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		String origin = logger.isDebugEnabled() ? tenure.describeOrigin() : null;
		Hold hold = tenure.begin(this.settings, this.monitor, this.listener, this.registry.callbacks());
		H handle = this.handles.apply(hold, this.settings);
		Duration waited = waited();
		if (origin != null) {
			logger.debug("Lock '%s' granted after %s (%s), fencing token %s".formatted(target(),
					Durations.describe(waited), origin, hold.fencingToken()));
		}
		// Listeners are called before the caller continues, because the caller may cause
		// later events.
		this.listener.acquired(hold, waited, hold.from());
		// Register the hold before the caller gets the lock, because the caller may
		// release it at once.
		this.registry.granted(this, hold);
		this.outcome.complete(new AcquireOutcome.Acquired<>(handle));
		return true;
	}

	/**
	 * Return a hash code that is reproducible, unlike the identity hash code.
	 */
	@Override
	public int hashCode() {
		return Long.hashCode(this.startedAt);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/**
	 * End the wait because the lock was refused.
	 * @param holder the current holder, if known
	 */
	void refuse(@Nullable LockState holder) {
		refuse(holder, 0, keptFor(holder));
	}

	/**
	 * End the wait because the lock was refused, perhaps because as many callers as
	 * allowed already wait.
	 * @param holder the current holder, if known
	 * @param waiting how many callers wait if these are too many, otherwise 0
	 * @param retryAfter the estimated time until another attempt makes sense, if known
	 */
	void refuse(@Nullable LockState holder, int waiting, @Nullable Duration retryAfter) {
		Duration waited = waited();
		if (!end(false)) {
			return;
		}
		if (waiting > 0) {
			this.registry.refusedAtOnce();
		}
		this.listener.refused(target(), waited, waiting);
		String deadlock = (this.holding != null && waiting == 0) ? this.holding.deadlockWith(holder) : null;
		AcquireOutcome.Refused<H> refused = new AcquireOutcome.Refused<>(waited, this.settings.waitTime(), holder,
				retryAfter, deadlock, waiting);
		if (logger.isDebugEnabled()) {
			logger.debug(refused.failure(target(), null).getMessage());
		}
		this.outcome.complete(refused);
	}

	/**
	 * Estimate how much longer the lock is kept, if its holder set the same minimum hold
	 * as this caller.
	 * @return {@code null} if unknown
	 */
	private @Nullable Duration keptFor(@Nullable LockState holder) {
		Duration least = this.settings.atLeastFor();
		Instant since = (holder != null && !least.isZero()) ? holder.since() : null;
		if (holder == null || since == null) {
			return null;
		}
		// The clock of the store may be ahead of ours.
		Duration rest = Durations.min(least.minus(Duration.between(since, this.timer.now())), least);
		return (rest.isNegative() || rest.isZero()) ? null : Durations.min(rest, holder.freeIn());
	}

	/**
	 * Return whether this caller may wait in its queue.
	 * @param callers how many callers wait in the queue, including this one
	 */
	boolean mayWait(int callers) {
		return callers <= this.settings.maxWaiters() && this.registry.mayWait(this);
	}

	void fail(LockException reason) {
		end(reason, false);
	}

	/**
	 * Stop waiting. A grant that arrives later goes to another caller or is released.
	 * @return whether this call ended the acquisition
	 */
	boolean cancel(LockException reason) {
		return end(reason, true);
	}

	private boolean end(LockException reason, boolean cancelled) {
		boolean ended = end(cancelled);
		if (ended) {
			if (logger.isDebugEnabled()) {
				logger.debug("Wait for lock '%s' ended after %s: %s".formatted(target(), Durations.describe(waited()),
						reason.getMessage()));
			}
			this.listener.failed(reason, waited());
			this.outcome.complete(new AcquireOutcome.Failed<>(reason));
		}
		return ended;
	}

	private boolean end(boolean cancelled) {
		boolean ended = this.ended.compareAndSet(false, true);
		if (ended) {
			this.registry.ended(this, cancelled);
		}
		return ended;
	}

	/**
	 * Registers holds and waiters.
	 */
	interface Registry {

		/**
		 * Register a new hold that its caller has not received yet.
		 */
		void granted(Acquisition<?> acquisition, Hold hold);

		/**
		 * Return whether a caller that did not get the lock at once may wait for it.
		 */
		boolean mayWait(Acquisition<?> caller);

		/**
		 * Count a caller that was refused because too many others wait.
		 */
		void refusedAtOnce();

		/**
		 * Unregister a wait that has ended without the lock.
		 * @param cancelled whether the caller still has to be removed from its queue
		 */
		void ended(Acquisition<?> acquisition, boolean cancelled);

		Executor callbacks();

	}

}
