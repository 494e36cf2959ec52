package io.github.redislock.simulation;

import java.util.SortedMap;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * The last grant of a lock, as its fence records it, or the value of the lock itself.
 *
 * @param token the first fencing token of the last grant
 * @param next the first token that is not reserved
 * @param kept the time until which there is data that the {@code take} script does not
 * read, in milliseconds of the server's clock
 * @param request the granted request, with a leading exclamation mark if it has released
 * the lock
 * @param owner the current or last holder
 */
record Remembered(long token, long next, long kept, String request, String owner) {

	private static final int FIELDS = 6;

	/**
	 * Return the last grant of a lock.
	 */
	static @Nullable Remembered of(SortedMap<String, StoredKey> keys, String lock) {
		Holding holding = Holding.of(keys.get(lock));
		Remembered fence = of(keys.get(LockNames.fence(lock)));
		if (holding == null || !holding.named()) {
			return fence;
		}
		String owner = holding.owner();
		return new Remembered(holding.token(), holding.token() + holding.block(), (fence != null) ? fence.kept() : 0,
				owner.substring(owner.lastIndexOf('/') + 1), owner);
	}

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
