package io.github.redislock.engine;

import io.github.redislock.store.AcquireReply;

/**
 * Whether a request is in the store's queue, and how it notices its turn.
 */
enum QueueStatus {

	/** Not in a queue: the request has to poll. */
	NONE,

	/** In the queue, but the request has to poll. */
	QUEUED,

	/** In the queue, and notified when it is the request's turn. */
	NOTIFIED;

	static QueueStatus of(AcquireReply.Held held) {
		if (held.notified()) {
			return NOTIFIED;
		}
		return held.queued() ? QUEUED : NONE;
	}

}
