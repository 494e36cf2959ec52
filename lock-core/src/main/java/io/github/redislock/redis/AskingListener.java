package io.github.redislock.redis;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Passes on each hand-over as a notice to ask for the lock, because the message does not
 * show whether replicas have received the hand-over. The reply to a request shows it.
 *
 * @param listener the engine's listener
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
	public void told(String message) {
		this.listener.told(message);
	}

	@Override
	public void changed() {
		this.listener.changed();
	}

}
