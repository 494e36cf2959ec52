package io.github.redislock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Somebody else held the lock for the whole waiting time, or waits longer for it: skip,
 * or try again later.
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	/** Below this many milliseconds it is the store's answer that took the time. */
	private static final int NOTICEABLE_WAIT = 10;

	private final Duration waited;

	private final transient @Nullable LockState holder;

	/**
	 * Create an exception for a lock that was refused.
	 * @param lockName the lock's name
	 * @param waited how long the caller waited
	 * @param holder who held the lock when the store was last asked, or {@code null} if
	 * it became free in that moment
	 */
	public LockNotAcquiredException(String lockName, Duration waited, @Nullable LockState holder) {
		this(lockName, waited, holder, null);
	}

	/**
	 * Create an exception for locks one of which the caller holds itself.
	 * @param own what the caller's thread or work holds, or {@code null} if that is not
	 * in the way
	 */
	LockNotAcquiredException(String lockName, Duration waited, @Nullable LockState holder, @Nullable LockTarget own) {
		super(lockName,
				message(lockName, waited, holder) + ((own != null)
						? "; the caller itself holds '%s', which does not cover it: acquire all that is needed at once"
							.formatted(own)
						: ""),
				null);
		this.waited = waited;
		this.holder = holder;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the call to the refusal
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return who held the lock when the store was last asked.
	 * @return the holder: who, since when, for how long still, how many instances wait,
	 * if known; of several locks, of the first that was in the way; or who waits longer,
	 * if it was not {@linkplain LockState#held() held}; {@code null} if not known
	 */
	public @Nullable LockState getHolder() {
		return this.holder;
	}

	static String message(String lockName, Duration waited, @Nullable LockState holder) {
		StringBuilder message = new StringBuilder("Lock '").append(lockName).append("' not acquired");
		message.append((waited.toMillis() < NOTICEABLE_WAIT) ? "" : " within " + Durations.describe(waited));
		if (holder != null) {
			message.append(holder.name().equals(lockName) ? ": " : ": '%s' is ".formatted(holder.name()));
			message.append(describe(holder));
			Long waiters = holder.waiters();
			if (waiters != null && waiters > 0) {
				message.append(", ").append(waiters).append(" waiting");
			}
		}
		return message.toString();
	}

	/**
	 * Return who has a lock, since when and for how long still.
	 */
	static String describe(LockState holder) {
		return holder.held() ? held(holder) : "free but kept for %s, who waits longer".formatted(holder.holder());
	}

	private static String held(LockState holder) {
		String since = (holder.since() != null) ? " since " + holder.since() : "";
		String end = (holder.remaining() != null)
				? "free in at most %s unless renewed".formatted(Durations.describe(holder.remaining()))
				: "with no expiry";
		String others = (holder.holders() > 1) ? " and %d more".formatted(holder.holders() - 1) : "";
		return "held by %s%s%s, %s".formatted(holder.holder(), others, since, end);
	}

}
