package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Makes waiters look silent for some time without waiting.
 */
final class Silence {

	private Silence() {
	}

	/**
	 * Make the last request of all waiters of a lock look that much older.
	 */
	static void of(RedisConnectionFactory redis, LockTarget target, Duration duration) {
		of(redis, "distributed_lock:", target, duration);
	}

	/**
	 * Make the last request look older, with another key prefix.
	 */
	static void of(RedisConnectionFactory redis, String keyPrefix, LockTarget target, Duration duration) {
		byte[] waiters = new LockKeys(keyPrefix).waiters(target);
		try (RedisConnection connection = redis.getConnection()) {
			Map<byte[], byte[]> entries = connection.hashCommands().hGetAll(waiters);
			entries.replaceAll((request, entry) -> earlier(entry, duration));
			connection.hashCommands().hMSet(waiters, entries);
		}
	}

	/**
	 * Return an entry, which begins with the microsecond of the last request.
	 */
	private static byte[] earlier(byte[] entry, Duration duration) {
		String[] fields = new String(entry, StandardCharsets.UTF_8).split(" ", 2);
		long seen = Long.parseLong(fields[0]) - duration.toNanos() / 1_000;
		return (seen + " " + fields[1]).getBytes(StandardCharsets.UTF_8);
	}

}
