package io.github.redislock.redis;

import java.time.Duration;

/**
 * How a {@link RedisLockStore} uses Redis. Immutable; every method returns a changed
 * copy.
 */
public final class RedisLockStoreOptions {

	private static final RedisLockStoreOptions DEFAULTS = new RedisLockStoreOptions("distributed_lock:",
			Duration.ofSeconds(2), "redis-lock");

	private final String keyPrefix;

	private final Duration commandTimeout;

	private final String clientName;

	private RedisLockStoreOptions(String keyPrefix, Duration commandTimeout, String clientName) {
		this.keyPrefix = keyPrefix;
		this.commandTimeout = commandTimeout;
		this.clientName = clientName;
	}

	/**
	 * Return the built-in options: prefix {@code distributed_lock:}, a command time-out
	 * of 2 s, client name {@code redis-lock}.
	 * @return the options
	 */
	public static RedisLockStoreOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Set what stands before a lock's name in its key. Services that share locks need the
	 * same prefix.
	 * @param keyPrefix may be empty
	 * @return changed options
	 */
	public RedisLockStoreOptions keyPrefix(String keyPrefix) {
		return new RedisLockStoreOptions(keyPrefix, this.commandTimeout, this.clientName);
	}

	/**
	 * Set how long to wait for an answer of Redis. A lock with a short lease waits at
	 * most a sixth of it.
	 * @param commandTimeout at least 1 ms, at most 1 h
	 * @return changed options
	 */
	public RedisLockStoreOptions commandTimeout(Duration commandTimeout) {
		if (commandTimeout.compareTo(Duration.ofMillis(1)) < 0 || commandTimeout.compareTo(Duration.ofHours(1)) > 0) {
			throw new IllegalArgumentException(
					"command time-out must be at least 1ms and at most 1h but is " + commandTimeout);
		}
		return new RedisLockStoreOptions(this.keyPrefix, commandTimeout, this.clientName);
	}

	/**
	 * Set by which name {@code CLIENT LIST} shows the connections of the locks. Used
	 * where the store has connections of its own.
	 * @param clientName no white space
	 * @return changed options
	 */
	public RedisLockStoreOptions clientName(String clientName) {
		if (clientName.isEmpty() || clientName.chars().anyMatch(Character::isWhitespace)) {
			throw new IllegalArgumentException("client name must not be empty and have no white space");
		}
		return new RedisLockStoreOptions(this.keyPrefix, this.commandTimeout, clientName);
	}

	String keyPrefix() {
		return this.keyPrefix;
	}

	Duration commandTimeout() {
		return this.commandTimeout;
	}

	String clientName() {
		return this.clientName;
	}

}
