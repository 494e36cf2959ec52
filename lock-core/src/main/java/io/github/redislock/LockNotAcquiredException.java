package io.github.redislock;

import java.time.Duration;
import java.util.Objects;

import io.github.redislock.internal.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when another owner held the lock for the whole waiting time, when the lock is
 * kept for an owner that has been waiting for it longer, or at once when too many callers
 * of this instance wait for it. Skip the work, or try again later.
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	private final transient @Nullable LockState holder;

	private final @Nullable String deadlock;

	private final int waitingCallers;

	private final @Nullable Duration retryAfter;

	/**
	 * Create an exception for a lock that was refused.
	 * @param target the lock
	 * @param waited how long the caller waited
	 * @param waitTime how long it was allowed to wait. The message contains this time,
	 * not the measured one
	 * @param holder the last known holder, or {@code null} if unknown
	 * @param retryAfter how much longer the holder keeps the lock for its minimum hold;
	 * {@code null} if unknown
	 * @param own a lock held by the caller itself that prevents the acquisition;
	 * {@code null} if there is none
	 * @param deadlock a description of the deadlock that the wait was part of, if one was
	 * found; otherwise {@code null}
	 */
	public LockNotAcquiredException(LockTarget target, Duration waited, Duration waitTime, @Nullable LockState holder,
			@Nullable Duration retryAfter, @Nullable LockTarget own, @Nullable String deadlock) {
		super(target,
				message(target.name(), waitTime, holder, retryAfter) + ((own != null)
						? "; the caller itself holds '%s', which does not cover this lock: release that one first"
							.formatted(own)
						: "") + ((deadlock != null) ? ". " + deadlock : ""),
				null);
		this.waited = waited;
		this.holder = (holder != null) ? holder.withoutOwner() : null;
		this.deadlock = deadlock;
		this.waitingCallers = 0;
		this.retryAfter = retryAfter;
	}

	/**
	 * Create an exception for a caller that may not wait, because as many callers of this
	 * instance as allowed already wait for the lock.
	 * @param target the lock
	 * @param waited the time from the call to the refusal
	 * @param waitingCallers how many callers wait, at least
	 * @param holder the last known holder, or {@code null} if unknown
	 * @param retryAfter the estimated time until these callers have had the lock, or
	 * {@code null} if unknown
	 * @see LockOptions#maxWaiters(int)
	 */
	public LockNotAcquiredException(LockTarget target, Duration waited, int waitingCallers, @Nullable LockState holder,
			@Nullable Duration retryAfter) {
		super(target,
				"Lock '" + target.name() + "' not acquired: " + waitingCallers
						+ " or more callers of this instance wait for it, and maxWaiters allows no more"
						+ ((holder != null) ? "; '" + holder.name() + "' is " + describe(holder, 0, false) : "")
						+ ((retryAfter != null) ? "; try again in about " + Durations.describe(retryAfter) : ""),
				null);
		this.waited = waited;
		this.holder = (holder != null) ? holder.withoutOwner() : null;
		this.deadlock = null;
		this.waitingCallers = waitingCallers;
		this.retryAfter = retryAfter;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the call to the refusal
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return the last known holder of the lock. The state has no owner token, because a
	 * caller with that token could release another owner's lock. Operators can get the
	 * token from {@link LockOperations#inspect(LockTarget)}.
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
	 * for which another one waits. Detected only between callers of one instance, and not
	 * before each of them has waited for two seconds.
	 * @return the locks and threads in the deadlock, and when it began; {@code null} if
	 * none was found
	 */
	public @Nullable String getDeadlock() {
		return this.deadlock;
	}

	/**
	 * Return the number of waiting callers of this instance at which this one was
	 * refused.
	 * @return the limit that was reached, or 0 if no caller may wait or the lock was
	 * refused for another reason
	 * @see LockOptions#maxWaiters(int)
	 */
	public int getWaitingCallers() {
		return this.waitingCallers;
	}

	/**
	 * Return after what time another attempt makes sense, for example for the header
	 * {@code Retry-After}. It is an estimate, and known in two cases:
	 * <ul>
	 * <li>The caller set {@link LockOptions#atLeastFor}: at most the rest of that time
	 * since the lock was last granted. This assumes that the holder set the same time,
	 * and that the clocks of Redis and of this instance agree.</li>
	 * <li>Too many callers were waiting: the time until they have had the lock, if each
	 * holds it for as long as recent callers did. It includes the turns of other
	 * instances.</li>
	 * </ul>
	 * In other cases, the lock is free when its holder's work ends. The lease
	 * ({@link LockState#freeIn()}) does not tell when, because the holder renews it.
	 * @return {@code null} if unknown: in other cases, if the work has already taken
	 * longer than {@code atLeastFor}, and if this instance has seen fewer than eight
	 * turns of an exclusive lock since its callers began to wait
	 */
	public @Nullable Duration getRetryAfter() {
		return this.retryAfter;
	}

	private static String message(String lockName, Duration waitTime, @Nullable LockState holder,
			@Nullable Duration retryAfter) {
		StringBuilder message = new StringBuilder("Lock '").append(lockName).append("' not acquired");
		message.append(waitTime.isZero() ? "" : " within " + Durations.describe(waitTime));
		if (holder != null) {
			message.append(holder.name().equals(lockName) ? ": " : ": '%s' is ".formatted(holder.name()));
			message.append(describe(holder, waitTime.isZero() ? 0 : 1, retryAfter != null));
		}
		message.append((retryAfter != null) ? "; try again in " + Durations.describe(retryAfter) : "");
		return message.toString();
	}

	/**
	 * Describe the holder and the waiters, except for the refused caller.
	 * @param own how many of the waiters are the refused caller
	 */
	private static String describe(LockState holder, int own, boolean kept) {
		long others = Objects.requireNonNullElse(holder.waiters(), 0L) - own;
		return holder.describe(kept)
				+ ((others > 0) ? ", " + others + ((others != 1) ? " instances waiting" : " instance waiting") : "");
	}

}
