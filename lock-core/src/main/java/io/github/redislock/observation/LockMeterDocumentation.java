package io.github.redislock.observation;

import io.github.redislock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import org.jspecify.annotations.Nullable;

/**
 * The meters of locks, in addition to those of the observations in
 * {@link LockObservationDocumentation}.
 */
public enum LockMeterDocumentation implements MeterDocumentation {

	/**
	 * The number of callers of this instance that are waiting for a lock.
	 */
	WAITERS("redis.lock.waiters", Meter.Type.GAUGE, null, "Callers of this instance that are waiting for a lock"),

	/**
	 * The locks that this instance currently holds, and for how long.
	 */
	HELD("redis.lock.held", Meter.Type.LONG_TASK_TIMER, null, "Locks that this instance currently holds"),

	/**
	 * How long locks were held, from the grant to the release.
	 */
	USAGE("redis.lock.usage", Meter.Type.TIMER, KeyNames.RELEASE,
			"How long locks were held, from the grant to the release"),

	/**
	 * Where acquired locks came from.
	 */
	HAND_OVERS("redis.lock.hand.overs", Meter.Type.COUNTER, KeyNames.FROM, "Where acquired locks came from"),

	/**
	 * How often another owner held the lock for the whole waiting time of a caller.
	 */
	TIMEOUTS("redis.lock.timeouts", Meter.Type.COUNTER, null,
			"Callers that did not get a lock within their waiting time"),

	/**
	 * How often a caller was refused at once, because too many others were waiting.
	 */
	REFUSALS("redis.lock.refusals", Meter.Type.COUNTER, null,
			"Callers that were refused at once because too many were waiting"),

	/**
	 * How often leases were renewed while locks were held, and how often that failed.
	 */
	RENEWALS("redis.lock.renewals", Meter.Type.COUNTER, KeyNames.RENEWAL, "Automatic renewals of leases"),

	/**
	 * How often a lock was lost while it was held.
	 */
	LOSSES("redis.lock.losses", Meter.Type.COUNTER, null, "Locks that were lost while they were held"),

	/**
	 * The misses of caches whose values are loaded under a lock, by outcome.
	 */
	CACHE_MISSES("redis.lock.cache.misses", Meter.Type.COUNTER, KeyNames.MISS,
			"Misses of caches whose values are loaded under a lock");

	private final String meterName;

	private final Meter.Type type;

	private final @Nullable KeyNames ownKey;

	private final String description;

	LockMeterDocumentation(String meterName, Meter.Type type, @Nullable KeyNames ownKey, String description) {
		this.meterName = meterName;
		this.type = type;
		this.ownKey = ownKey;
		this.description = description;
	}

	@Override
	public String getName() {
		return this.meterName;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	public KeyName[] getKeyNames() {
		KeyName[] common = { LowCardinalityKeyNames.LOCK, LowCardinalityKeyNames.MODE };
		return (this.ownKey != null) ? KeyName.merge(common, new KeyName[] { this.ownKey }) : common;
	}

	String description() {
		return this.description;
	}

	/**
	 * Return the tag that the meter has in addition to the common ones.
	 */
	@Nullable KeyNames ownKey() {
		return this.ownKey;
	}

	/**
	 * Tags that only some meters have.
	 */
	public enum KeyNames implements KeyName {

		/**
		 * What happened to a lock that was released.
		 */
		RELEASE("outcome"),

		/**
		 * How a renewal ended.
		 */
		RENEWAL("outcome"),

		/**
		 * How a miss ended.
		 */
		MISS("outcome"),

		/**
		 * Where the lock came from.
		 */
		FROM("from");

		private final String key;

		KeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
