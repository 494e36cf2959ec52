package io.github.redislock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Hears what happens to the locks of this process.
 * <p>
 * Called on whatever thread the event arises, network threads and those of other callers
 * included: do not block, which would delay everybody who waits for the lock, and neither
 * ask for locks nor release any, whose answer this very thread would have to bring. What
 * a listener throws is logged and goes no further.
 */
public interface LockListener {

	/**
	 * A caller begins to acquire a lock. Called on his own thread, before anybody is
	 * asked; not for locks that he enters once more.
	 * @param target what he asked for, as he named it
	 * @return hears what becomes of this one acquisition, and of the hold that it leads
	 * to, after all who hear everything; {@code null} if nobody wants to
	 */
	default @Nullable LockListener acquiring(LockTarget target) {
		return null;
	}

	/**
	 * A lock was acquired.
	 * @param lock the new hold
	 * @param waited the time from the call to the grant
	 * @param from who had it before
	 */
	default void acquired(HeldLock lock, Duration waited, HandOverKind from) {
	}

	/**
	 * A lock was refused: somebody else held it for the whole waiting time.
	 * @param lockName the lock's name
	 * @param waited the time from the call to the refusal
	 */
	default void refused(String lockName, Duration waited) {
	}

	/**
	 * A lock was not acquired for another reason than its holder.
	 * @param failure an outage, an interrupt or the end of the template
	 * @param waited the time from the call to the failure
	 */
	default void failed(LockException failure, Duration waited) {
	}

	/**
	 * A lease was renewed automatically. That a lock which was handed over gets its whole
	 * lease is no renewal.
	 * @param lock the hold
	 */
	default void renewed(HeldLock lock) {
	}

	/**
	 * An automatic renewal was not confirmed, or the whole lease of a lock that was
	 * handed over. It is tried again while the lease lasts.
	 * @param lock the hold
	 * @param failure the store's answer
	 */
	default void renewalFailed(HeldLock lock, LockStoreException failure) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param lock the hold
	 * @param loss since when, and how it was noticed
	 */
	default void lost(HeldLock lock, LockLostException loss) {
	}

	/**
	 * A lock was released by its holder: to the next caller of this process, to another
	 * process, or altogether.
	 * @param lock the ended hold
	 * @param outcome what the store said
	 * @param held the time from the grant to the release
	 */
	default void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
	}

}
