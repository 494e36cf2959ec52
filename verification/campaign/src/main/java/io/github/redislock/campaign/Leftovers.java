package io.github.redislock.campaign;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.RedisProcess;

/**
 * Finds keys that are left in Redis after all callers have released their locks.
 */
final class Leftovers {

	private static final String LOCKS = "distributed_lock:*";

	/**
	 * The key that stores the time since which Redis has had its data, for the
	 * quarantine.
	 */
	private static final String SINCE = "{distributed_lock:}:since";

	private final List<RedisProcess> servers;

	Leftovers(List<RedisProcess> servers) {
		this.servers = servers;
	}

	/**
	 * Wait until all locks are free, but not longer than the given time.
	 * @return the keys of the locks that are still held, with their values and times to
	 * live
	 */
	List<String> awaitFree(Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		List<String> locks = locks();
		while (!locks.isEmpty() && System.nanoTime() - end < 0) {
			Pause.of(Duration.ofMillis(20));
			locks = locks();
		}
		return locks;
	}

	List<String> endless() {
		return this.servers.stream()
			.flatMap((redis) -> keys(redis, "*").filter((key) -> !key.equals(SINCE))
				.filter((key) -> Long.valueOf(-1).equals(redis.command("PTTL", key))))
			.toList();
	}

	private List<String> locks() {
		return this.servers.stream()
			.flatMap((redis) -> keys(redis, LOCKS).map(
					(key) -> key + " of " + redis.command("GET", key) + ", " + redis.command("PTTL", key) + " ms left"))
			.toList();
	}

	private static Stream<String> keys(RedisProcess redis, String pattern) {
		List<?> keys = (List<?>) Objects.requireNonNull(redis.command("KEYS", pattern));
		return keys.stream().map(String::valueOf);
	}

}
