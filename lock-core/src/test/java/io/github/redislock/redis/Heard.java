package io.github.redislock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Records what a store or an inbox reports.
 */
final class Heard implements HandOverListener {

	private final BlockingQueue<Object> reports = new LinkedBlockingQueue<>();

	private final AtomicInteger changes = new AtomicInteger();

	/**
	 * Return all reports that were not returned yet.
	 */
	List<Object> all() {
		List<Object> all = new ArrayList<>();
		this.reports.drainTo(all);
		return all;
	}

	/**
	 * Wait for the next report and return it.
	 */
	Object next() throws InterruptedException {
		return Objects.requireNonNull(this.reports.poll(20, TimeUnit.SECONDS), "nothing was reported");
	}

	@Override
	public void handedOver(HandOver handOver) {
		this.reports.add(handOver);
	}

	@Override
	public void turnHasCome(String requestId) {
		this.reports.add("turn of " + requestId);
	}

	@Override
	public void takenByForce(String lockName) {
		this.reports.add("forced " + lockName);
	}

	@Override
	public void restored() {
		this.reports.add("restored");
	}

	/**
	 * Return how often waiters had to send their requests again.
	 */
	int changes() {
		return this.changes.get();
	}

	@Override
	public void changed() {
		this.changes.incrementAndGet();
	}

}
