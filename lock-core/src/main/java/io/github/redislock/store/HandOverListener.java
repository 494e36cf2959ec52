package io.github.redislock.store;

import java.time.Duration;

/**
 * Receives the events of waiting requests, and of the store itself.
 */
public interface HandOverListener {

	/**
	 * A request's turn has come. The call may come late, twice, or not at all.
	 */
	void handedOver(HandOver handOver);

	/**
	 * A request's turn has come, but it has to ask for the lock to be sure of it.
	 */
	default void turnHasCome(String requestId) {
		changed();
	}

	/**
	 * The channel for hand-overs has changed: all waiters should ask again.
	 */
	void changed();

	/**
	 * A lock was taken by force from all of its holders. The call may come late, twice,
	 * or not at all, and to processes that never held it: a holder should check whether
	 * it still has the lock.
	 * @param lockName the lock's name
	 */
	default void takenByForce(String lockName) {
	}

	/**
	 * A process has {@linkplain LockStore#listen published} waits of its callers to all
	 * processes. The call may come late, more than once, or not at all.
	 * @param message the published message
	 */
	default void told(String message) {
	}

	/**
	 * The store's own clock has jumped, measured by this process's monotonic one.
	 * @param step how far; negative if it went back
	 */
	default void clockStepped(Duration step) {
	}

}
