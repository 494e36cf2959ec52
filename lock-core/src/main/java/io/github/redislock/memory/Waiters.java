package io.github.redislock.memory;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for one lock, in order of arrival. A waiter that has sent no request for
 * three seconds counts as dead.
 */
final class Waiters {

	private static final Duration SILENCE_LIMIT = Duration.ofSeconds(3);

	private final StoreClock clock;

	private final Map<String, Waiter> byRequest = new LinkedHashMap<>();

	Waiters(StoreClock clock) {
		this.clock = clock;
	}

	int size() {
		return this.byRequest.size();
	}

	boolean contains(String requestId) {
		return this.byRequest.containsKey(requestId);
	}

	/**
	 * Add a request at the end, or keep the place that it already has.
	 */
	void join(AcquireRequest request) {
		this.byRequest.put(request.requestId(), new Waiter(request, this.clock.time()));
	}

	void leave(String requestId) {
		this.byRequest.remove(requestId);
	}

	/**
	 * Return the request that has waited longest, and remove dead waiters before it.
	 */
	@Nullable AcquireRequest first() {
		Iterator<Waiter> waiters = this.byRequest.values().iterator();
		while (waiters.hasNext()) {
			Waiter waiter = waiters.next();
			if (this.clock.time() - waiter.seenAt() <= SILENCE_LIMIT.toNanos()) {
				return waiter.request();
			}
			waiters.remove();
		}
		return null;
	}

	/**
	 * A waiting request and when it was last sent.
	 */
	private record Waiter(AcquireRequest request, long seenAt) {
	}

}
