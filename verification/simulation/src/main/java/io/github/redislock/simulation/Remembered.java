package io.github.redislock.simulation;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * What the fence of a lock tells.
 *
 * @param token the first fencing token of the last grant
 * @param next the first one that is not reserved
 * @param kept until when it is kept, in the server's milliseconds
 * @param request the one that was granted
 * @param owner the one that holds the lock, or did
 */
record Remembered(long token, long next, long kept, String request, String owner) {

	private static final int FIELDS = 6;

	/**
	 * Read a fence.
	 * @return {@code null} where there is none
	 */
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
