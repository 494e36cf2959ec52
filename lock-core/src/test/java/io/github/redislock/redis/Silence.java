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
		LockKeys keys = new LockKeys(keyPrefix);
		long micros = duration.toNanos() / 1_000;
		try (RedisConnection connection = redis.getConnection()) {
			for (byte[] entry : connection.zSetCommands().zRange(keys.of(target, LockKeys.QUEUE).get(1), 0, -1)) {
				connection.zSetCommands().zIncrBy(keys.of(target, LockKeys.QUEUE).get(1), -micros, entry);
			}
			Map<byte[], byte[]> entries = connection.hashCommands().hGetAll(keys.of(target, LockKeys.WAITERS).get(1));
			if (!entries.isEmpty()) {
				entries.replaceAll((request, entry) -> earlier(entry, micros));
				connection.hashCommands().hMSet(keys.of(target, LockKeys.WAITERS).get(1), entries);
			}
		}
	}

	/**
	 * Return an entry, which begins with the microsecond of the last request.
	 */
	private static byte[] earlier(byte[] entry, long micros) {
		String[] fields = new String(entry, StandardCharsets.UTF_8).split(" ", 2);
		return (Long.parseLong(fields[0]) - micros + " " + fields[1]).getBytes(StandardCharsets.UTF_8);
	}

}
