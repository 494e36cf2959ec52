package io.github.redislock.observation;

import java.util.Locale;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockTarget;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of one caller's wait for a lock, from the call until the end of the wait.
 *
 * @see LockObservationConvention
 */
public final class LockAcquireContext extends Observation.Context {

	private final LockTarget target;

	private final String lock;

	private volatile Outcome outcome = Outcome.PENDING;

	private volatile @Nullable HandOverKind from;

	private volatile @Nullable Long fencingToken;

	/**
	 * Create the context of a wait that begins.
	 * @param target the lock as the caller requested it
	 * @param lock the name of the lock in metrics, as {@link #getLock()} returns it
	 */
	LockAcquireContext(LockTarget target, String lock) {
		this.target = target;
		this.lock = lock;
	}

	/**
	 * Return the lock as the caller requested it. Its name may contain a key, so do not
	 * use the name as a tag of a meter.
	 * @return the target
	 */
	public LockTarget getTarget() {
		return this.target;
	}

	/**
	 * Return the name of the lock in metrics.
	 * @return the lock's metric name, or {@code other} if it has none or there are too
	 * many
	 */
	public String getLock() {
		return this.lock;
	}

	/**
	 * Return how the lock was requested.
	 * @return {@code exclusive}, {@code read} or {@code permit}
	 */
	public String getMode() {
		return this.target.mode();
	}

	/**
	 * Return how the wait ended.
	 * @return the outcome, or {@link Outcome#PENDING} while the caller waits
	 */
	public Outcome getOutcome() {
		return this.outcome;
	}

	/**
	 * Return how the caller got the lock.
	 * @return the kind of hand-over, or {@code null} if the lock was not acquired
	 */
	public @Nullable HandOverKind getFrom() {
		return this.from;
	}

	/**
	 * Return the fencing token of the hold.
	 * @return the token, or {@code null} if the lock was not acquired
	 */
	public @Nullable Long getFencingToken() {
		return this.fencingToken;
	}

	void acquired(HandOverKind from, long fencingToken) {
		this.from = from;
		this.fencingToken = fencingToken;
		this.outcome = Outcome.ACQUIRED;
	}

	void ended(Outcome outcome) {
		this.outcome = outcome;
	}

	/**
	 * How a wait for a lock ends.
	 */
	public enum Outcome {

		/**
		 * The wait goes on.
		 */
		PENDING,

		/**
		 * The caller has the lock.
		 */
		ACQUIRED,

		/**
		 * Another owner held the lock for the whole waiting time, or it was kept for
		 * another waiter.
		 */
		TIMEOUT,

		/**
		 * The caller was refused at once, because too many others were waiting.
		 */
		REFUSED,

		/**
		 * The caller's thread was interrupted.
		 */
		INTERRUPTED,

		/**
		 * The caller stopped waiting: its future was cancelled or completed, or its
		 * subscription was cancelled.
		 */
		CANCELLED,

		/**
		 * This instance is shutting down.
		 */
		SHUTDOWN,

		/**
		 * The store did not reply or returned an error, or the key is not a lock.
		 */
		ERROR;

		/**
		 * Return the outcome as the value of a tag.
		 * @return the name in lower case
		 */
		public String value() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
