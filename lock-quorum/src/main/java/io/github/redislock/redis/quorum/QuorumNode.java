package io.github.redislock.redis.quorum;

import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;

/**
 * One of several independent servers.
 *
 * @param name the name for messages and logs, without credentials
 * @param store keeps the locks of the server
 * @param fences changes the fencing tokens of the server
 */
record QuorumNode(String name, LockStore store, Fences fences) {

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Changes the fencing token of a grant.
	 */
	@FunctionalInterface
	interface Fences {

		/**
		 * Raise the fencing token of a grant to the one that the servers agree on.
		 * @param granted the attempt that was granted
		 * @param requestId the request to which the attempt belongs
		 * @param token the token that the servers agree on, which is the minimum to set
		 * @param seen the token that this server granted
		 * @return whether the owner still holds the lock
		 */
		CompletionStage<Boolean> raise(AcquireRequest granted, String requestId, long token, long seen);

	}

}
