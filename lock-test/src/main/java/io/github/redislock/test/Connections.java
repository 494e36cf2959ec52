package io.github.redislock.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Notifies all connected templates. Each template receives all hand-overs, and uses only
 * those for its own callers.
 */
final class Connections implements HandOverListener {

	private final List<HandOverListener> listeners = new CopyOnWriteArrayList<>();

	void add(HandOverListener listener) {
		this.listeners.add(listener);
	}

	void remove(HandOverListener listener) {
		this.listeners.remove(listener);
	}

	@Override
	public void handedOver(HandOver handOver) {
		this.listeners.forEach((listener) -> listener.handedOver(handOver));
	}

	@Override
	public void turnHasCome(String requestId) {
		this.listeners.forEach((listener) -> listener.turnHasCome(requestId));
	}

	@Override
	public void changed() {
		this.listeners.forEach(HandOverListener::changed);
	}

	@Override
	public void takenByForce(String lockName) {
		this.listeners.forEach((listener) -> listener.takenByForce(lockName));
	}

}
