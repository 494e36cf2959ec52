package io.github.redislock.campaign;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.RedisProcess;

/**
 * What is left in Redis when nobody wants a lock any more.
 */
final class Leftovers {

	private static final String LOCKS = "distributed_lock:*";

	/** Since when Redis has data: what a quarantine needs to know. */
	private static final String SINCE = "{distributed_lock:}:since";

	private final RedisProcess redis;

	Leftovers(RedisProcess redis) {
		this.redis = redis;
	}

	/**
	 * Wait until all locks are free.
	 * @return those that are not
	 */
	List<String> awaitFree(Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		List<String> locks = keys(LOCKS);
		while (!locks.isEmpty() && System.nanoTime() - end < 0) {
			Pause.of(Duration.ofMillis(20));
			locks = keys(LOCKS);
		}
		return locks.stream()
			.map((key) -> key + " of " + this.redis.command("GET", key) + ", " + this.redis.command("PTTL", key)
					+ " ms left")
			.toList();
	}

	/**
	 * Return what never expires, and should.
	 */
	List<String> endless() {
		return keys("*").stream()
			.filter((key) -> !key.equals(SINCE))
			.filter((key) -> Long.valueOf(-1).equals(this.redis.command("PTTL", key)))
			.toList();
	}

	private List<String> keys(String pattern) {
		List<?> keys = (List<?>) Objects.requireNonNull(this.redis.command("KEYS", pattern));
		return keys.stream().map(String::valueOf).toList();
	}

}
