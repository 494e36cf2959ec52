package io.github.redislock.store;

/**
 * Receives the events of waiting requests, and of the store itself.
 */
public interface HandOverListener {

	/**
	 * A lock was handed over to a waiting request. The call may be late, repeated, or
	 * missing.
	 */
	void handedOver(HandOver handOver);

	/**
	 * It is a request's turn, but the request has to be sent again to get the lock.
	 */
	default void turnHasCome(String requestId) {
		changed();
	}

	/**
	 * The channel for hand-overs has changed, so all waiters should send their requests
	 * again.
	 */
	void changed();

	/**
	 * The channel for hand-overs is back after an interruption, in which the store may
	 * have lost its data. All holders should check whether they still have their locks.
	 */
	default void restored() {
	}

	/**
	 * A lock was taken away from all of its holders by force. The call may be late,
	 * repeated, or missing, and processes that never held the lock get it too. A holder
	 * should check whether it still has the lock.
	 * @param lockName the lock's name
	 */
	default void takenByForce(String lockName) {
	}

	/**
	 * Wait, for two seconds at most, until the replies and messages that the listener has
	 * received so far are processed. Called only by tests that simulate failures.
	 */
	default void settle() {
	}

}
