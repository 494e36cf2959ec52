package io.github.redislock.internal.engine;

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

	void granted(Grant grant);

	/**
	 * Handle the refusal or failure of a request that will be sent again.
	 */
	void replied();

	/**
	 * Handle a failure after which the request is not sent again.
	 */
	void failed(LockException failure);

}
