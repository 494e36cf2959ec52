package io.github.redislock.store;

import java.time.Duration;

/**
 * Is told what happens to requests that wait, and in the store itself.
 */
public interface HandOverListener {

	/**
	 * A request's turn has come. May be told late, twice, or not at all.
	 */
	void handedOver(HandOver handOver);

	/**
	 * A request's turn has come, but it has to ask for the lock to be sure of it.
	 */
	default void turnHasCome(String requestId) {
		changed();
	}

	/**
	 * The way on which hand-overs are told has changed: whoever waits should ask again.
	 */
	void changed();

	/**
	 * A lock was taken by force from all who held it. May be told late, twice, or not at
	 * all, and to those who never held it: whoever holds it should ask whether it still
	 * does.
	 * @param lockName the lock's name
	 */
	default void takenByForce(String lockName) {
	}

	/**
	 * The store's own clock has jumped, measured by this process's monotonic one.
	 * @param step how far; negative if it went back
	 */
	default void clockStepped(Duration step) {
	}

}
