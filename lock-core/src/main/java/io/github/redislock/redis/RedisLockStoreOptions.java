package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.internal.client.ClientSettings;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How a {@link RedisLockStore} uses Redis. Immutable; each method that sets an option
 * returns a changed copy.
 */
public final class RedisLockStoreOptions {

	private static final RedisLockStoreOptions DEFAULTS = new RedisLockStoreOptions("distributed_lock:",
			Duration.ofSeconds(2), "redis-lock", Duration.ZERO, 0);

	private static final Duration LONGEST_QUARANTINE = Duration.ofDays(1);

	private static final int MOST_ACKS = 100;

	private static final int TIMEOUTS_PER_LEASE = 6;

	/** A shorter timeout could mistake a busy machine for an outage. */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);

	private static final RedisLockStoreOptions QUORUM = DEFAULTS.commandTimeout(Duration.ofSeconds(1))
		.coldStartQuarantine(Duration.ofMillis(31_500));

	private final String keyPrefix;

	private final Duration commandTimeout;

	private final String clientName;

	private final Duration coldStartQuarantine;

	private final int minAcks;

	private RedisLockStoreOptions(String keyPrefix, Duration commandTimeout, String clientName,
			Duration coldStartQuarantine, int minAcks) {
		this.keyPrefix = keyPrefix;
		this.commandTimeout = commandTimeout;
		this.clientName = clientName;
		this.coldStartQuarantine = coldStartQuarantine;
		this.minAcks = minAcks;
	}

	/**
	 * Return the built-in options: prefix {@code distributed_lock:}, a command timeout of
	 * 2 s, client name {@code redis-lock}, no quarantine, no acknowledgements.
	 * @return the options
	 */
	public static RedisLockStoreOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the built-in options for a server of a quorum: like {@link #defaults()}, but
	 * with a command timeout of 1 s and a quarantine of 31.5 s, which is the built-in
	 * lease plus its grace. Set a longer quarantine for longer leases.
	 * @return the options
	 */
	public static RedisLockStoreOptions quorum() {
		return QUORUM;
	}

	/**
	 * Set the prefix of a lock's key, which is followed by the lock's name. Services that
	 * share locks need the same prefix.
	 * @param keyPrefix the prefix, which may be empty
	 * @return changed options
	 */
	public RedisLockStoreOptions keyPrefix(String keyPrefix) {
		Assert.notNull(keyPrefix, "keyPrefix must not be null");
		return new RedisLockStoreOptions(keyPrefix, this.commandTimeout, this.clientName, this.coldStartQuarantine,
				this.minAcks);
	}

	/**
	 * Set how long to wait for a reply from Redis. For a short lease, this time is
	 * reduced to about a sixth of the lease, but not below 100 ms.
	 * @param commandTimeout the timeout, from 1 ms to 1 h
	 * @return changed options
	 */
	public RedisLockStoreOptions commandTimeout(Duration commandTimeout) {
		Durations.requireBetween("commandTimeout", commandTimeout, Duration.ofMillis(1), Duration.ofHours(1));
		return new RedisLockStoreOptions(this.keyPrefix, commandTimeout, this.clientName, this.coldStartQuarantine,
				this.minAcks);
	}

	/**
	 * Set the name under which {@code CLIENT LIST} shows the connections of the locks. It
	 * is used only if the store opens its own connections.
	 * @param clientName the name, which must not be empty or contain white space
	 * @return changed options
	 */
	public RedisLockStoreOptions clientName(String clientName) {
		if (clientName == null || clientName.isEmpty() || clientName.chars().anyMatch(Character::isWhitespace)) {
			throw new IllegalArgumentException("clientName must not be empty or contain white space");
		}
		return new RedisLockStoreOptions(this.keyPrefix, this.commandTimeout, clientName, this.coldStartQuarantine,
				this.minAcks);
	}

	/**
	 * Set how long Redis grants no locks after it has lost its data, because earlier
	 * holders, which Redis no longer knows, may continue until their leases end. Use the
	 * longest lease plus its grace, which covers a step of Redis's clock. Not supported
	 * in a Cluster.
	 * @param coldStartQuarantine the time, at most one day; zero for no quarantine
	 * @return changed options
	 */
	public RedisLockStoreOptions coldStartQuarantine(Duration coldStartQuarantine) {
		Durations.requireBetween("coldStartQuarantine", coldStartQuarantine, Duration.ZERO, LONGEST_QUARANTINE);
		return new RedisLockStoreOptions(this.keyPrefix, this.commandTimeout, this.clientName, coldStartQuarantine,
				this.minAcks);
	}

	/**
	 * Set how many replicas have to acknowledge a lock before it counts as acquired or
	 * renewed. In a Cluster, this works only with Lettuce.
	 * @param minAcks the number of replicas; 0 to wait for none
	 * @return changed options
	 */
	public RedisLockStoreOptions minAcks(int minAcks) {
		if (minAcks < 0 || minAcks > MOST_ACKS) {
			throw new IllegalArgumentException("minAcks must be at least 0 and at most 100 but is " + minAcks);
		}
		return new RedisLockStoreOptions(this.keyPrefix, this.commandTimeout, this.clientName, this.coldStartQuarantine,
				minAcks);
	}

	public String keyPrefix() {
		return this.keyPrefix;
	}

	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	public Duration coldStartQuarantine() {
		return this.coldStartQuarantine;
	}

	public int minAcks() {
		return this.minAcks;
	}

	/**
	 * Return how long to wait for a reply about a lock. For a short lease, this is a
	 * fraction of the lease, so that there is time to ask again.
	 * @param timeToLive how long the store keeps the lock; {@code null} if it never
	 * expires
	 */
	Duration timeout(@Nullable Duration timeToLive) {
		if (timeToLive == null) {
			return this.commandTimeout;
		}
		// Milliseconds, because the division of a Duration is slow.
		Duration share = Duration.ofMillis(timeToLive.toMillis() / TIMEOUTS_PER_LEASE);
		return Durations.min(Durations.max(share, SHORTEST_TIMEOUT), this.commandTimeout);
	}

	Duration timeout(RenewRequest renewal) {
		Duration usual = timeout(renewal.timeToLive());
		Duration within = renewal.within();
		return (within != null) ? Durations.min(within, usual) : usual;
	}

	ClientSettings client() {
		return new ClientSettings(this.clientName, this.commandTimeout, this.minAcks,
				!this.coldStartQuarantine.isZero(), this.keyPrefix, LockScript.ALL);
	}

}
