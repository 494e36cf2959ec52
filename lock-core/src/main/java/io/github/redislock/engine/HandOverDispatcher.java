package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Receives the store's messages and dispatches them, mainly to requests whose turn it is.
 * Thread-safe.
 */
final class HandOverDispatcher implements HandOverListener {

	private static final Log logger = LogFactory.getLog(HandOverDispatcher.class);

	private final ConcurrentMap<String, RequestListener> waiters = new ConcurrentHashMap<>();

	/** How many times the channel for the store's messages has changed. */
	private final AtomicInteger interruptions = new AtomicInteger();

	private final Duration grace;

	private final Consumer<String> takenByForce;

	private final Runnable restored;

	/**
	 * Create a dispatcher.
	 * @param grace how much longer than a usual lease the store keeps a lock
	 * @param takenByForce called with the name of a lock that was released by force
	 * @param restored called when the channel is back after an interruption
	 */
	HandOverDispatcher(Duration grace, Consumer<String> takenByForce, Runnable restored) {
		this.grace = grace;
		this.takenByForce = takenByForce;
		this.restored = restored;
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
	int interruptions() {
		return this.interruptions.get();
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
		this.interruptions.incrementAndGet();
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
	public void clockStepped(Duration step) {
		if (step.abs().compareTo(this.grace.dividedBy(2)) <= 0) {
			return;
		}
		String effect = step.isNegative() ? "Locks of dead holders stay held that much longer"
				: "Locks expire that much earlier unless they are renewed";
		logger.warn(("The clock of the store jumped by %s between two renewals. %s; the default lease has a grace of"
				+ " %s. Adjust that clock gradually, or raise redis-lock.grace")
			.formatted(Durations.describe(step), effect, Durations.describe(this.grace)));
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
