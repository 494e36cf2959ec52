package io.github.redislock;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when another owner held the lock for the whole waiting time, or when the lock is
 * kept for an owner that has been waiting for it longer. Skip the work, or try again
 * later.
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	private final transient @Nullable LockState holder;

	private final @Nullable String deadlock;

	/**
	 * Create an exception for a lock that was refused.
	 * @param target the lock
	 * @param waited how long the caller waited
	 * @param waitTime how long it was allowed to wait. The message contains this time and
	 * not the measured one, so that it is the same for each refusal
	 * @param holder the holder when the store was last asked, or {@code null} if the lock
	 * became free at that moment
	 * @param own a lock held by the caller itself that prevents the acquisition;
	 * {@code null} if there is none
	 * @param deadlock a description of the deadlock that the wait was part of, if one was
	 * found; otherwise {@code null}
	 */
	public LockNotAcquiredException(LockTarget target, Duration waited, Duration waitTime, @Nullable LockState holder,
			@Nullable LockTarget own, @Nullable String deadlock) {
		super(target,
				message(target.name(), waitTime, holder) + ((own != null)
						? "; the caller itself holds '%s', which does not cover this lock: acquire all locks together"
							.formatted(own)
						: "") + ((deadlock != null) ? ". " + deadlock : ""),
				null);
		this.waited = waited;
		this.holder = (holder != null) ? holder.withoutOwner() : null;
		this.deadlock = deadlock;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the call to the refusal
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return the holder of the lock when the store was last asked. The state has no owner
	 * token, because a caller with that token could release another owner's lock.
	 * Operators can get the token from {@link LockOperations#inspect(LockTarget)}.
	 * @return the holder, when it acquired the lock, how long the store will keep the
	 * lock, and how many instances wait, as far as known. For several locks, this
	 * describes the first one that could not be acquired. If the lock was not
	 * {@linkplain LockState#held() held}, this is the waiter for which the lock is kept.
	 * {@code null} if unknown
	 */
	public @Nullable LockState getHolder() {
		return this.holder;
	}

	/**
	 * Return the deadlock that this wait was part of, in which each caller holds a lock
	 * for which another one waits. A deadlock is detected once each of them has waited
	 * for a few seconds.
	 * @return all locks, instances and threads in the deadlock, and when it began;
	 * {@code null} if none was found
	 */
	public @Nullable String getDeadlock() {
		return this.deadlock;
	}

	/**
	 * Return the message of this exception, for code that logs it without creating an
	 * exception.
	 * @param lockName the lock's name
	 * @param waitTime how long the caller was allowed to wait
	 * @param holder the holder of the lock, if known
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
				message.append(", ")
					.append(waiters)
					.append((waiters != 1) ? " instances" : " instance")
					.append(" waiting");
			}
		}
		return message.toString();
	}

}
