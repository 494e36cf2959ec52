package io.github.redislock.simulation;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * The content of a lock key, in any of its forms.
 *
 * @param owner the holder, or of several holders the one whose lease ends last
 * @param shared whether the lock is shared
 * @param oneKey whether the key still has the form that {@code take.lua} writes
 * @param token the first fencing token, or 0 if this key does not contain it
 * @param block the number of reserved tokens
 */
record Holding(String owner, boolean shared, boolean oneKey, long token, long block) {

	private static final String SHARED = "shared";

	private static final int PARTS_OF_ONE_KEY = 3;

	private static final int PARTS_AFTER_A_HAND_OVER = 4;

	/**
	 * Return whether the key names the grant, so that no fence is needed for it.
	 */
	boolean named() {
		return this.token > 0;
	}

	static @Nullable Holding of(@Nullable StoredKey lock) {
		if (lock == null || !(lock.value() instanceof StoredValue.Text text)) {
			return null;
		}
		String[] parts = text.content().split("\t");
		if (parts[0].equals(SHARED)) {
			return new Holding(parts[2], true, false, 0, 0);
		}
		boolean oneKey = parts.length == PARTS_OF_ONE_KEY;
		return (oneKey || parts.length == PARTS_AFTER_A_HAND_OVER)
				? new Holding(parts[0], false, oneKey, Long.parseLong(parts[2]), Long.parseLong(parts[1]))
				: new Holding(text.content(), false, false, 0, 0);
	}

	static @Nullable String owner(@Nullable StoredKey lock) {
		Holding holding = of(lock);
		return (holding != null) ? holding.owner() : null;
	}

}
