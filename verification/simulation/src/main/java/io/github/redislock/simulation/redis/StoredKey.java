package io.github.redislock.simulation.redis;

/**
 * What a server keeps under a key. Never changes.
 *
 * @param value its content
 * @param expiresAt ms by the server's clock at which it lives for the last time, or
 * {@link #NEVER}
 */
public record StoredKey(StoredValue value, long expiresAt) {

	/** Of a key that does not expire. */
	public static final long NEVER = Long.MAX_VALUE;

	/**
	 * Return whether it expires, be it late.
	 */
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
