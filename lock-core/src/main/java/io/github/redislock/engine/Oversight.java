package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Watches whether a lock's holder still cares for it: reports a hold that lasts
 * suspiciously long, and ends the renewal of one that nobody will ever release. Called by
 * one thread at a time.
 */
final class Oversight {

	private static final Log logger = LogFactory.getLog(Oversight.class);

	private final @Nullable Taker taker;

	private volatile boolean reported;

	private volatile @Nullable String neglect;

	Oversight(@Nullable Taker taker) {
		this.taker = taker;
	}

	/**
	 * Return after which time of the hold it is to be reported.
	 * @return {@code null} if it was already, or need not be
	 */
	@Nullable Duration reportAfter(Duration warnAfter) {
		return (this.reported || warnAfter.isZero()) ? null : warnAfter;
	}

	/**
	 * Report the hold, once, if it lasts longer than expected.
	 */
	void reportIfDue(Duration warnAfter, LockTarget target, Duration held) {
		if (this.reported || warnAfter.isZero() || held.compareTo(warnAfter) < 0) {
			return;
		}
		this.reported = true;
		logger.warn("Lock '%s' has been held for %s already. Others wait as long: is the work stuck? %s"
			.formatted(target, Durations.describe(held), whereabouts()));
	}

	/**
	 * Find out whether anybody is left who could release the lock. Reports it, once, if
	 * not.
	 * @param forgotten whether nobody can reach a handle of the hold any more
	 * @param remaining how long the lock stays closed, or {@code null} for ever
	 */
	void check(boolean forgotten, LockTarget target, @Nullable Duration remaining) {
		if (this.neglect != null || !(forgotten || (this.taker != null && this.taker.hasDied()))) {
			return;
		}
		boolean ofThread = this.taker == null || this.taker.isThread();
		String reason = !forgotten ? "the thread that took it has ended without a release"
				: "its handle was dropped without a release" + (ofThread ? "" : ", or its work without an end");
		this.neglect = reason;
		logger.warn(
				"Lock '%s' is not renewed any more, since %s: %s. %s. %s".formatted(target, reason, whatNext(remaining),
						ofThread ? adviceToThread(forgotten)
								: "Release the handle in each case, and let the future of work always be completed",
						whereabouts()));
	}

	private static String adviceToThread(boolean forgotten) {
		return "Close the handle, best with try-with-resources"
				+ (forgotten ? "" : "; where another thread goes on with it, call detach() before");
	}

	/**
	 * Return why the lock is not renewed any more, or {@code null} if it is.
	 */
	@Nullable String neglect() {
		return this.neglect;
	}

	void usedBy(Thread user) {
		if (this.taker != null) {
			this.taker.usedBy(user);
		}
	}

	/**
	 * Note that work uses the lock that belongs to no thread.
	 */
	void usedByWork() {
		if (this.taker != null) {
			this.taker.usedByWork();
		}
	}

	void detach() {
		if (this.taker != null) {
			this.taker.detach();
		}
	}

	/**
	 * Return whether the thread that took the lock may take it once more.
	 */
	boolean mayBeEnteredAgain() {
		return this.neglect == null && !(this.taker != null && this.taker.hasLeft());
	}

	/**
	 * Return whether a caller is left that may release the lock while a thread waits for
	 * that: not the waiting thread itself, nor one that has ended.
	 */
	boolean mayBeReleased(Thread waiting) {
		boolean nobodyLeft = this.neglect != null || (this.taker != null && this.taker.hasDied());
		return !nobodyLeft && !(this.taker != null && waiting.equals(this.taker.thread()));
	}

	/**
	 * Return the name of the thread that took the lock, if it has it still.
	 */
	@Nullable String threadName() {
		Thread thread = (this.taker != null) ? this.taker.thread() : null;
		return (thread != null) ? thread.getName() : null;
	}

	/**
	 * Return the call by which the lock was taken, if that is remembered.
	 */
	@Nullable StackTraceElement takenAt() {
		return (this.taker != null) ? this.taker.place() : null;
	}

	private static String whatNext(@Nullable Duration remaining) {
		return (remaining != null) ? "it frees itself in " + Durations.describe(remaining)
				: "it never expires, so it has to be released by force";
	}

	private String whereabouts() {
		return (this.taker != null) ? this.taker.describe() : "It was not taken by a thread.";
	}

}
