package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The loss of a hold. It is reported first to the holder, and then to the log and the
 * listeners. Thread-safe.
 */
final class LossReport {

	/** The logger of {@code Hold}, by name, to avoid a dependency cycle. */
	private static final Log logger = LogFactory.getLog("io.github.redislock.internal.engine.Hold");

	private final HeldLock hold;

	private final LockListener listener;

	private final Executor callbacks;

	private final LongSupplier nanoTime;

	private final Supplier<Loss> endOfLease;

	private @GuardedBy("this") @Nullable Loss loss;

	/** Whether the loss still has to be reported to the log and the listeners. */
	private @GuardedBy("this") boolean unpublished;

	private @GuardedBy("this") List<Action> actions = List.of();

	/**
	 * Create the report of a hold that is not lost.
	 * @param callbacks runs users' callbacks
	 * @param endOfLease returns the loss of a hold whose lease is over
	 */
	LossReport(HeldLock hold, LockListener listener, Executor callbacks, LongSupplier nanoTime,
			Supplier<Loss> endOfLease) {
		this.hold = hold;
		this.listener = listener;
		this.callbacks = callbacks;
		this.nanoTime = nanoTime;
		this.endOfLease = endOfLease;
	}

	synchronized boolean isKnown() {
		return this.loss != null;
	}

	/**
	 * Add an action to run when the lock is lost.
	 * @param entry the entry whose end cancels the action, or {@code null} for the whole
	 * hold
	 * @return whether the action was added, because no loss is known yet
	 */
	synchronized boolean addAction(@Nullable HoldEntry entry, Runnable action) {
		if (this.loss == null) {
			this.actions = Stream.concat(this.actions.stream(), Stream.of(new Action(entry, action))).toList();
		}
		return this.loss == null;
	}

	/**
	 * Cancel the actions of an entry that has ended.
	 */
	synchronized void forget(HoldEntry entry) {
		this.actions = this.actions.stream().filter((action) -> !entry.equals(action.entry())).toList();
	}

	synchronized void forgetAll() {
		this.actions = List.of();
	}

	/**
	 * Record the loss, unless one is known.
	 * @return the actions to run now
	 */
	synchronized List<Runnable> record(Loss loss) {
		if (this.loss != null) {
			return List.of();
		}
		this.loss = loss;
		this.unpublished = true;
		List<Action> toRun = this.actions;
		this.actions = List.of();
		return toRun.stream().map(Action::action).toList();
	}

	/**
	 * Report a recorded loss once to the log and to listeners, after the holder was
	 * notified.
	 */
	void publish() {
		synchronized (this) {
			if (!this.unpublished) {
				return;
			}
			this.unpublished = false;
		}
		LockLostException lost = asException();
		logger.warn("%s (fencing token %s)".formatted(lost.getMessage(), this.hold.fencingToken()));
		this.listener.lost(this.hold, lost);
	}

	/**
	 * Run a user's callback on a separate thread.
	 */
	void call(Runnable action) {
		this.callbacks.execute(() -> {
			try {
				action.run();
			}
			catch (Throwable ex) {
				logger.error("An action on the loss of lock '%s' failed".formatted(this.hold.target()), ex);
			}
		});
	}

	/**
	 * Return the exception for the loss. If none is known, it reports the end of the
	 * lease.
	 */
	LockLostException asException() {
		Loss known;
		synchronized (this) {
			known = this.loss;
		}
		Loss loss = (known != null) ? known : this.endOfLease.get();
		Duration unprotected = Duration.ofNanos(Math.max(this.nanoTime.getAsLong() - loss.safeUntil(), 0));
		return new LockLostException(this.hold.target(), unprotected, loss.reason());
	}

	/**
	 * An action of one entry, or of the whole hold.
	 */
	private record Action(@Nullable HoldEntry entry, Runnable action) {
	}

}
