package io.github.redislock.simulation.redis;

/**
 * The value and expiry of a key. Immutable.
 *
 * @param value the content of the key
 * @param expiresAt the last millisecond of the key by the server's clock, or
 * {@link #NEVER}
 */
public record StoredKey(StoredValue value, long expiresAt) {

	/** The expiry of a key that does not expire. */
	public static final long NEVER = Long.MAX_VALUE;

	public boolean expires() {
		return this.expiresAt != NEVER;
	}

	boolean isExpired(long millis) {
		return millis > this.expiresAt;
	}

	StoredKey with(StoredValue value) {
		return new StoredKey(value, this.expiresAt);
	}

	StoredKey expiringAt(long millis) {
		return new StoredKey(this.value, millis);
	}

}
