package io.github.redislock.simulation.redis;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * All keys of a server. The time is set before each command or script.
 * <p>
 * An expired key is invisible, and is deleted on access. If the clock goes back, an
 * expired key that was not accessed is visible again.
 */
final class KeySpace {

	private static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

	private final Map<String, StoredKey> keys = new HashMap<>();

	private long micros;

	void at(long micros) {
		this.micros = micros;
	}

	long micros() {
		return this.micros;
	}

	long millis() {
		return Math.floorDiv(this.micros, 1000L);
	}

	/**
	 * Return the content of a key, unless it has expired.
	 */
	@Nullable StoredKey find(String key) {
		StoredKey found = this.keys.get(key);
		if (found != null && found.isExpired(millis())) {
			this.keys.remove(key);
			return null;
		}
		return found;
	}

	/**
	 * Return the value of a key.
	 * @return {@code null} if the key does not exist
	 * @throws ErrorReplyException if the value has another type
	 */
	<V extends StoredValue> @Nullable V find(String key, Class<V> type) {
		StoredKey found = find(key);
		if (found == null) {
			return null;
		}
		if (!type.isInstance(found.value())) {
			throw new ErrorReplyException(WRONG_TYPE);
		}
		return type.cast(found.value());
	}

	/**
	 * Store a value without expiry, and replace any earlier value.
	 */
	void put(String key, StoredValue value) {
		this.keys.put(key, new StoredKey(value, StoredKey.NEVER));
	}

	/**
	 * Store another value and keep the expiry.
	 */
	void replace(String key, StoredValue value) {
		StoredKey found = find(key);
		this.keys.put(key, (found != null) ? found.with(value) : new StoredKey(value, StoredKey.NEVER));
	}

	/**
	 * Set when an existing key expires. If that time is not in the future, delete the
	 * key.
	 */
	void expire(String key, long millis) {
		if (millis <= millis()) {
			this.keys.remove(key);
		}
		else {
			this.keys.computeIfPresent(key, (name, found) -> found.expiringAt(millis));
		}
	}

	boolean remove(String key) {
		return find(key) != null && this.keys.remove(key) != null;
	}

	/**
	 * Return an immutable copy of all unexpired keys, by name.
	 */
	SortedMap<String, StoredKey> copy() {
		SortedMap<String, StoredKey> copy = new TreeMap<>();
		long now = millis();
		this.keys.forEach((key, stored) -> {
			if (!stored.isExpired(now)) {
				copy.put(key, stored);
			}
		});
		return Collections.unmodifiableSortedMap(copy);
	}

	void restore(Map<String, StoredKey> copy) {
		this.keys.clear();
		this.keys.putAll(copy);
	}

}
