package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Hears what the store has to tell: above all, to this process's requests, that their
 * turn has come. Thread-safe.
 */
final class HandOverDispatcher implements HandOverListener {

	private static final Log logger = LogFactory.getLog(HandOverDispatcher.class);

	private final ConcurrentMap<String, Target> waiters = new ConcurrentHashMap<>();

	/** How often the way has changed on which the store tells. */
	private final AtomicInteger changes = new AtomicInteger();

	private final Duration grace;

	private final Consumer<String> takenByForce;

	/**
	 * Create hand-overs.
	 * @param grace how much longer than a usual lease the store keeps a lock
	 * @param takenByForce is given the name of a lock that was
	 */
	HandOverDispatcher(Duration grace, Consumer<String> takenByForce) {
		this.grace = grace;
		this.takenByForce = takenByForce;
	}

	void add(String requestId, Target waiter) {
		this.waiters.put(requestId, waiter);
	}

	void remove(String requestId) {
		this.waiters.remove(requestId);
	}

	/**
	 * Return how often news may have been lost up to now: as long as it is the same, and
	 * the store tells, none was.
	 */
	int changes() {
		return this.changes.get();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	@Override
	public void handedOver(HandOver handOver) {
		Target waiter = this.waiters.get(handOver.requestId());
		// Who does not wait any more has withdrawn, which passes the lock on.
		if (waiter != null) {
			waiter.handedOver(handOver);
		}
	}

	@Override
	public void turnHasCome(String requestId) {
		Target waiter = this.waiters.get(requestId);
		if (waiter != null) {
			waiter.turnHasCome(requestId);
		}
	}

	@Override
	public void changed() {
		this.changes.incrementAndGet();
		this.waiters.values().forEach(Target::mayHaveMissedNews);
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
		String effect = step.isNegative() ? "Locks whose holder has died stay closed for so much longer"
				: "Leases end so much earlier there than their holders think";
		logger.warn(
				("The clock of the store has stepped by %s%s between two renewals. %s; the grace of %s covers no larger"
						+ " step. Correct that clock slowly, or raise the grace")
					.formatted(step.isNegative() ? "-" : "", Durations.describe(step.abs()), effect,
							Durations.describe(this.grace)));
	}

	/**
	 * Who has a request that waits. Called on any thread; a request may have ended since,
	 * and another one stand in its place.
	 */
	interface Target {

		/**
		 * The store tells that it is our turn, and that the lock is ours for a while.
		 */
		void handedOver(HandOver handOver);

		/**
		 * The store tells that it is a request's turn to ask.
		 */
		void turnHasCome(String requestId);

		/**
		 * News may have been lost: it is time to ask.
		 */
		void mayHaveMissedNews();

	}

}
