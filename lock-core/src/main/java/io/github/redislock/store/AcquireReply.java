package io.github.redislock.store;

import io.github.redislock.LockException;
import io.github.redislock.LockState;

/**
 * The reply to a request for a lock.
 */
public sealed interface AcquireReply {

	/**
	 * The lock is the requester's.
	 *
	 * @param fencingToken the first of the reserved tokens, greater than that of every
	 * earlier hold; the same when the request is repeated
	 * @param quick whether it may be released in the same shorter way, since the lock was
	 * uncontended: see {@link AcquireRequest#quickToken()}
	 */
	record Granted(long fencingToken, boolean quick) implements AcquireReply {

		/**
		 * Create a reply for a lock that others may want.
		 */
		public Granted(long fencingToken) {
			this(fencingToken, false);
		}

	}

	/**
	 * Another owner holds the lock.
	 *
	 * @param holder what the store knows of the holder
	 * @param queued whether the store keeps a place for the requester and may hand the
	 * lock over to it
	 * @param told whether the requester gets a message when its turn comes; otherwise it
	 * has to ask again
	 */
	record Held(LockState holder, boolean queued, boolean told) implements AcquireReply {
	}

	/**
	 * The request had been withdrawn and took no effect.
	 */
	record Withdrawn() implements AcquireReply {
	}

	/**
	 * The store carried out another part of the request, but not this one. Only for a
	 * yield; a single acquisition fails instead.
	 *
	 * @param reason the exception with which it would have failed
	 */
	record Failed(LockException reason) implements AcquireReply {
	}

}
