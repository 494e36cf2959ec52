package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.LockException;

/**
 * The callers that a {@link PendingRequest} represents. Called in their executor.
 */
interface WaitingCallers {

	/**
	 * Return the longest remaining waiting time of all callers.
	 */
	Duration longestWait();

	/**
	 * The store has granted the lock.
	 */
	void granted(Grant grant);

	/**
	 * A request was refused or has failed, and will be sent again.
	 */
	void replied();

	/**
	 * The store has failed or refused the request.
	 */
	void failed(LockException failure);

}
