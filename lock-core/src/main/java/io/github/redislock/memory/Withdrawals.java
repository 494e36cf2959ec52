package io.github.redislock.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.github.redislock.store.AcquireRequest;

/**
 * Withdrawn requests, which must not take effect if they arrive late. Each is remembered
 * at least for its time to live, or for a day if it has none.
 */
final class Withdrawals {

	private static final Duration OF_ENDLESS = Duration.ofDays(1);

	private final StoreClock clock;

	private final Map<String, Long> ends = new HashMap<>();

	Withdrawals(StoreClock clock) {
		this.clock = clock;
	}

	void add(AcquireRequest request) {
		Duration life = request.timeToLive();
		this.ends.put(request.requestId(), this.clock.time() + ((life != null) ? life : OF_ENDLESS).toNanos());
	}

	boolean contains(AcquireRequest request) {
		return this.ends.containsKey(request.requestId());
	}

	int size() {
		return this.ends.size();
	}

	void forgetOld() {
		this.ends.values().removeIf(this.clock::isOver);
	}

	void clear() {
		this.ends.clear();
	}

}
