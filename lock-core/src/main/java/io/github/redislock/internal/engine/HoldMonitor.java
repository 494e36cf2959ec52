package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Detects leaked locks, and reports a hold that lasts suspiciously long. It records which
 * thread acquired a lock. {@link #check} and {@link #reportIfDue} run on the timer's
 * thread; all other methods are thread-safe.
 */
final class HoldMonitor {

	private static final Log logger = LogFactory.getLog(HoldMonitor.class);

	private static final int MOST_FRAMES = 12;

	private final boolean ofThread;

	private final Duration warnAfter;

	/**
	 * The thread that acquired the lock; {@code null} if there is none, or once others
	 * may use the lock.
	 */
	private volatile @Nullable Thread thread;

	private volatile boolean detached;

	private volatile boolean reported;

	private volatile @Nullable String leak;

	/**
	 * Create the monitor of a hold.
	 * @param thread the thread that acquires the lock; {@code null} for work that belongs
	 * to no thread
	 * @param warnAfter the time after which a hold is reported; zero disables the report
	 */
	HoldMonitor(@Nullable Thread thread, Duration warnAfter) {
		this.warnAfter = warnAfter;
		this.thread = thread;
		this.ofThread = thread != null;
	}

	/**
	 * Return the time after which the hold is to be reported.
	 * @return {@code null} if the hold was already reported, or need not be reported
	 */
	@Nullable Duration reportAfter() {
		return (this.reported || this.warnAfter.isZero()) ? null : this.warnAfter;
	}

	void reportIfDue(LockTarget target, Duration held) {
		Duration after = reportAfter();
		if (after == null || held.compareTo(after) < 0) {
			return;
		}
		this.reported = true;
		logger.warn(("Lock '%s' has been held for %s: check whether its work is stuck, or raise warnAfter"
				+ " (redis-lock.warn-after) if it normally takes this long. %s")
			.formatted(target, Durations.describe(held), whereabouts()));
	}

	/**
	 * Check whether the lock has leaked, and log a warning once if it has.
	 * @param forgotten whether all handles of the hold were garbage collected
	 * @param remaining the rest of the lease; {@code null} if it never expires
	 */
	void check(boolean forgotten, LockTarget target, @Nullable Duration remaining) {
		if (this.leak != null || !(forgotten || hasDied())) {
			return;
		}
		String reason = !forgotten ? "the thread that acquired it has ended without a release"
				: (this.ofThread ? "its handle" : "its handle or its unfinished work")
						+ " was garbage collected without a release";
		this.leak = reason;
		String next = (remaining != null) ? "it expires in " + Durations.describe(remaining)
				: "it never expires, so release it by force";
		String advice = !this.ofThread ? "Always release the handle, and complete the future of the work"
				: "Close the handle, preferably with try-with-resources"
						+ (forgotten ? "" : "; if another thread takes it over, call detach() first");
		logger.warn("Lock '%s' can no longer be released by its caller because %s: %s. %s. %s".formatted(target, reason,
				next, advice, whereabouts()));
	}

	/**
	 * Return why the lock counts as leaked; {@code null} if no leak was detected.
	 */
	@Nullable String leak() {
		return this.leak;
	}

	/**
	 * Record that a thread uses the lock. Once another thread has used it, the end of the
	 * thread that acquired it no longer matters.
	 */
	void usedBy(Thread user) {
		Thread present = this.thread;
		if (present != null && !user.equals(present)) {
			this.thread = null;
		}
	}

	/**
	 * Record that asynchronous work uses the lock, so that the end of the thread that
	 * acquired it no longer matters.
	 */
	void usedByWork() {
		this.thread = null;
	}

	/**
	 * Detach the hold from the thread that acquired the lock. Has no effect on a lock of
	 * asynchronous work, which belongs to no thread.
	 */
	void detach() {
		if (this.ofThread) {
			this.detached = true;
		}
		this.thread = null;
	}

	/**
	 * Return whether the hold may be re-entered: it has neither leaked nor been detached.
	 */
	boolean isReentrant() {
		return this.leak == null && !this.detached;
	}

	/**
	 * Return whether the lock may still be released by a caller other than the given
	 * thread, which waits for the release.
	 */
	boolean mayBeReleased(Thread waiting) {
		return this.leak == null && !hasDied() && !waiting.equals(this.thread);
	}

	/**
	 * Return whether the waiting caller is the only known user of the hold. A hold of
	 * asynchronous work is assumed to have no other user, because that work is found
	 * through the locks under which it runs.
	 * @param waiting the waiting caller's monitor
	 */
	boolean belongsOnlyTo(HoldMonitor waiting) {
		Thread present = this.thread;
		return this.leak == null && (!this.ofThread || (present != null && present.equals(waiting.thread)));
	}

	/**
	 * Return the name of the thread that acquired the lock; {@code null} if it belongs to
	 * no thread, or if others may use it.
	 */
	@Nullable String threadName() {
		Thread present = this.thread;
		return (present != null) ? present.getName() : null;
	}

	/**
	 * Return whether the thread that acquired the lock has ended, and the lock is not
	 * left to others: it was not detached, and no other thread or asynchronous work has
	 * used it.
	 */
	private boolean hasDied() {
		Thread present = this.thread;
		return present != null && !present.isAlive();
	}

	/**
	 * Describe what the thread of the lock is doing now.
	 */
	private String whereabouts() {
		if (!this.ofThread) {
			return "It belongs to no thread.";
		}
		Thread present = this.thread;
		String who = (present != null) ? "thread '" + present.getName() + "'" : "an unknown thread";
		List<StackTraceElement> now = (present != null) ? Arrays.asList(present.getStackTrace()) : List.of();
		return now.isEmpty() ? "It was last used by " + who + "." : "It is held by " + who + ", which is"
				+ now.stream().limit(MOST_FRAMES).map((frame) -> "\n\tat " + frame).collect(Collectors.joining());
	}

}
