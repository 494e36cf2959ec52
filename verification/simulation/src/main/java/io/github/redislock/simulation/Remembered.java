package io.github.redislock.simulation;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * The content of a lock's fence.
 *
 * @param token the first fencing token of the last grant
 * @param next the first token that is not reserved
 * @param kept the time until which there is data that the {@code take} script does not
 * read, in milliseconds of the server's clock
 * @param request the granted request, with a leading hyphen if it has released the lock
 * while no request was queued
 * @param owner the current or last holder
 */
record Remembered(long token, long next, long kept, String request, String owner) {

	private static final int FIELDS = 6;

	static @Nullable Remembered of(@Nullable StoredKey fence) {
		if (fence == null || !(fence.value() instanceof StoredValue.Text text)) {
			return null;
		}
		String[] fields = text.content().split(" ", FIELDS);
		long token = Long.parseLong(fields[0]);
		return new Remembered(token, token + Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3],
				fields[FIELDS - 1]);
	}

}
