package io.github.redislock.store;

import io.github.redislock.LockState;

/**
 * The reply to a request for a lock.
 */
public sealed interface AcquireReply {

	/**
	 * The requester has the lock.
	 *
	 * @param fencingToken the first of the reserved tokens, which is greater than that of
	 * every earlier hold, unless the store's clock was set back
	 * @param quick whether the store granted the lock in its shorter way for uncontended
	 * locks. If so, the lock may be released in the shorter way too: see
	 * {@link LockStore#releaseQuickly}
	 */
	record Granted(long fencingToken, boolean quick) implements AcquireReply {

		/**
		 * Create a reply for a lock that was not granted in the shorter way.
		 */
		public Granted(long fencingToken) {
			this(fencingToken, false);
		}

	}

	/**
	 * Another owner holds the lock, or the lock is kept for another request.
	 *
	 * @param holder what the store knows about the holder
	 * @param queued whether the request has to be withdrawn if its caller stops waiting,
	 * because it is in a queue of the store, or holds some of its locks
	 * @param notified whether the store sends a message when it is the request's turn. If
	 * not, the requester has to poll
	 */
	record Held(LockState holder, boolean queued, boolean notified) implements AcquireReply {
	}

	/**
	 * The request was withdrawn earlier and had no effect.
	 */
	record Withdrawn() implements AcquireReply {
	}

}
