package io.github.redislock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a template's locks.
 * <p>
 * The methods are called on the thread on which the event occurs, which may be a network
 * thread or the thread of another caller. Do not block, because that may delay other
 * callers. Do not acquire or release locks either, because this thread may be needed to
 * receive the reply. An exception thrown by a listener is logged and not propagated.
 */
public interface LockListener {

	// IsolatedListener must delegate each method. Otherwise, no listener would be called
	// for that event.

	/**
	 * A caller begins to acquire a lock. Called on the caller's thread before any request
	 * is sent to the store; not called for a re-entered lock.
	 * @param target the lock as the caller specified it
	 * @return a listener for this acquisition and the resulting hold only, called after
	 * the listeners for all locks; {@code null} if none is needed
	 */
	default @Nullable LockListener acquiring(LockTarget target) {
		return null;
	}

	/**
	 * A lock was acquired.
	 * @param lock the new hold
	 * @param waited the time from the call to the grant
	 * @param from how the caller got the lock
	 */
	default void acquired(HeldLock lock, Duration waited, HandOverKind from) {
	}

	/**
	 * A lock was refused, because another owner held it for the whole waiting time, it
	 * was kept for another waiter, or too many callers of this instance were waiting.
	 * @param target the lock as the caller specified it
	 * @param waited the time from the call to the refusal
	 * @param waitingCallers how many callers were waiting, if that was the reason, as in
	 * {@link LockNotAcquiredException#getWaitingCallers()}; otherwise 0
	 */
	default void refused(LockTarget target, Duration waited, int waitingCallers) {
	}

	/**
	 * A lock was not acquired, although it was not refused.
	 * @param failure for example an outage, an interrupt or a closed template
	 * @param waited the time from the call to the failure
	 */
	default void failed(LockException failure, Duration waited) {
	}

	/**
	 * A lease was renewed automatically. When a lock that was handed over gets its full
	 * lease, that does not count as a renewal.
	 * @param lock the hold
	 */
	default void renewed(HeldLock lock) {
	}

	/**
	 * The store did not confirm an automatic renewal, or the full lease of a lock that
	 * was handed over. The request is repeated while a caller holds the lock.
	 * @param lock the hold
	 * @param failure why it was not confirmed
	 */
	default void renewalFailed(HeldLock lock, LockStoreException failure) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param lock the hold
	 * @param loss when the lock was lost, and how that was noticed
	 */
	default void lost(HeldLock lock, LockLostException loss) {
	}

	/**
	 * A lock was released by its holder or at shutdown. Also called when a lost lock is
	 * released, with the outcome {@link ReleaseOutcome#NOT_HELD}.
	 * @param lock the ended hold
	 * @param outcome the outcome of the release
	 * @param held the time from the grant to the end of the release
	 */
	default void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
	}

}
