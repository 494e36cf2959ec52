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
	 * How many callers of this instance wait for a lock now.
	 */
	WAITERS("redis.lock.waiters", Meter.Type.GAUGE, null, "Callers of this instance that wait for a lock now",
			"How many callers wait now?"),

	/**
	 * The locks that this instance holds now, and for how long.
	 */
	HELD("redis.lock.held", Meter.Type.LONG_TASK_TIMER, null, "Locks that this instance holds now",
			"What is held now, and for how long?"),

	/**
	 * How long locks were held, from the grant to the release.
	 */
	USAGE("redis.lock.usage", Meter.Type.TIMER, KeyNames.RELEASE,
			"How long locks were held, from the grant to the release", "How long are locks held?"),

	/**
	 * Where acquired locks came from.
	 */
	HAND_OVERS("redis.lock.hand.overs", Meter.Type.COUNTER, KeyNames.FROM, "Where acquired locks came from",
			"Do locks pass from caller to caller, and how?"),

	/**
	 * How often another owner held the lock for the whole waiting time of a caller.
	 */
	TIMEOUTS("redis.lock.timeouts", Meter.Type.COUNTER, null,
			"Callers that did not get a lock within their waiting time", "How often is a lock busy for too long?"),

	/**
	 * How often leases were renewed while locks were held, and how often that failed.
	 */
	RENEWALS("redis.lock.renewals", Meter.Type.COUNTER, KeyNames.RENEWAL, "Automatic renewals of leases",
			"Are leases renewed while the work goes on?"),

	/**
	 * How often a lock was lost while it was held.
	 */
	LOSSES("redis.lock.losses", Meter.Type.COUNTER, null, "Locks that were lost while they were held",
			"Has work continued without protection?");

	private final String meterName;

	private final Meter.Type type;

	private final @Nullable KeyNames ownKey;

	private final String description;

	private final String question;

	LockMeterDocumentation(String meterName, Meter.Type type, @Nullable KeyNames ownKey, String description,
			String question) {
		this.meterName = meterName;
		this.type = type;
		this.ownKey = ownKey;
		this.description = description;
		this.question = question;
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

	/**
	 * Return the description of the meter in the registry.
	 */
	String description() {
		return this.description;
	}

	/**
	 * Return the operator's question that the meter answers.
	 */
	String question() {
		return this.question;
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
		RELEASE("outcome",
				"`released`; `lost` before, including the time after the loss;"
						+ " `unknown`: the store did not reply in time"),

		/**
		 * How a renewal ended.
		 */
		RENEWAL("outcome",
				"`renewed`; `failed`: the store did not reply, and is asked again while the lease lasts."
						+ " The first lease of a lock that was handed over counts only if it fails"),

		/**
		 * Where the lock came from.
		 */
		FROM("from", "`local`: a caller of this instance; `remote`: another instance, which handed it over; `none`:"
				+ " it was free or had run out, or another instance of a quorum had it");

		private final String key;

		private final String description;

		KeyNames(String key, String description) {
			this.key = key;
			this.description = description;
		}

		@Override
		public String asString() {
			return this.key;
		}

		String description() {
			return this.description;
		}

	}

}
