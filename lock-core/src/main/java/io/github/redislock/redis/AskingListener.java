package io.github.redislock.redis;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Makes of the news that a lock was handed over a reason to ask for it: it was written by
 * somebody else's connection, and only an answer tells that replicas have it.
 *
 * @param listener who waits
 */
record AskingListener(HandOverListener listener) implements HandOverListener {

	@Override
	public void handedOver(HandOver handOver) {
		this.listener.turnHasCome(handOver.requestId());
	}

	@Override
	public void turnHasCome(String requestId) {
		this.listener.turnHasCome(requestId);
	}

	@Override
	public void takenByForce(String lockName) {
		this.listener.takenByForce(lockName);
	}

	@Override
	public void changed() {
		this.listener.changed();
	}

}
