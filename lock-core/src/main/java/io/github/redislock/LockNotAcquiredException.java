package io.github.redislock;

import java.time.Duration;

import io.github.redislock.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Somebody else held the lock for the whole waiting time, or waits longer for it: skip,
 * or try again later.
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	private final transient @Nullable LockState holder;

	/**
	 * Create an exception for a lock that was refused.
	 * @param target the lock
	 * @param waited how long the caller waited
	 * @param waitTime how long it wanted to wait: that is always the same, so the message
	 * is, too
	 * @param holder who held the lock when the store was last asked, or {@code null} if
	 * it became free in that moment
	 * @param own what the caller's thread or work holds, or {@code null} if that is not
	 * in the way
	 */
	public LockNotAcquiredException(LockTarget target, Duration waited, Duration waitTime, @Nullable LockState holder,
			@Nullable LockTarget own) {
		super(target,
				message(target.name(), waitTime, holder) + ((own != null)
						? "; the caller itself holds '%s', which does not cover it: acquire all that is needed at once"
							.formatted(own)
						: ""),
				null);
		this.waited = waited;
		this.holder = (holder != null) ? holder.withShortOwner() : null;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the call to the refusal
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return who held the lock when the store was last asked. Its owner token is
	 * {@linkplain LockState#withShortOwner() shortened}: with the whole one a caller
	 * could release the lock of somebody else. Operators see that by
	 * {@link LockOperations#inspect(LockTarget)}.
	 * @return the holder: who, since when, for how long still, how many instances wait,
	 * if known; of several locks, of the first that was in the way; or who waits longer,
	 * if it was not {@linkplain LockState#held() held}; {@code null} if not known
	 */
	public @Nullable LockState getHolder() {
		return this.holder;
	}

	/**
	 * Return what such an exception says, for who only logs it.
	 * @param lockName the lock's name
	 * @param waitTime how long the caller wanted to wait
	 * @param holder who holds the lock, if known
	 * @return the message
	 */
	public static String message(String lockName, Duration waitTime, @Nullable LockState holder) {
		StringBuilder message = new StringBuilder("Lock '").append(lockName).append("' not acquired");
		message.append(waitTime.isZero() ? "" : " within " + Durations.describe(waitTime));
		if (holder != null) {
			message.append(holder.name().equals(lockName) ? ": " : ": '%s' is ".formatted(holder.name()));
			message.append(holder.describe());
			Long waiters = holder.waiters();
			if (waiters != null && waiters > 0) {
				message.append(", ").append(waiters).append(" waiting");
			}
		}
		return message.toString();
	}

}
