package io.github.redislock.internal.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Receives the store's messages and dispatches them, mainly to requests whose turn it is.
 * Thread-safe.
 */
final class StoreMessages implements HandOverListener {

	private final ConcurrentMap<String, RequestListener> waiters = new ConcurrentHashMap<>();

	/** How many times the channel for the store's messages has changed. */
	private final AtomicInteger channelChanges = new AtomicInteger();

	private final Consumer<String> takenByForce;

	private final Runnable restored;

	private final Runnable settle;

	/**
	 * Create a receiver of messages.
	 * @param takenByForce called with the name of a lock that was released by force
	 * @param restored called when the channel is back after an interruption
	 * @param settle waits until the queues have processed what they received so far
	 */
	StoreMessages(Consumer<String> takenByForce, Runnable restored, Runnable settle) {
		this.takenByForce = takenByForce;
		this.restored = restored;
		this.settle = settle;
	}

	void add(String requestId, RequestListener waiter) {
		this.waiters.put(requestId, waiter);
	}

	void remove(String requestId) {
		this.waiters.remove(requestId);
	}

	/**
	 * Return how many times messages may have been lost.
	 */
	int channelChanges() {
		return this.channelChanges.get();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	@Override
	public void handedOver(HandOver handOver) {
		RequestListener waiter = this.waiters.get(handOver.requestId());
		// Without a waiter, the request has ended. If it was withdrawn, the withdrawal
		// passes the lock on.
		if (waiter != null) {
			waiter.handedOver(handOver);
		}
	}

	@Override
	public void turnHasCome(String requestId) {
		RequestListener waiter = this.waiters.get(requestId);
		if (waiter != null) {
			waiter.turnHasCome();
		}
	}

	@Override
	public void changed() {
		this.channelChanges.incrementAndGet();
		this.waiters.values().forEach(RequestListener::messagesMayBeLost);
	}

	@Override
	public void restored() {
		this.restored.run();
	}

	@Override
	public void takenByForce(String lockName) {
		this.takenByForce.accept(lockName);
	}

	@Override
	public void settle() {
		this.settle.run();
	}

	/**
	 * A waiting request, which may have ended in the meantime. Called on any thread.
	 */
	interface RequestListener {

		void handedOver(HandOver handOver);

		void turnHasCome();

		/**
		 * Send the request now, because messages may have been lost.
		 */
		void messagesMayBeLost();

	}

}
