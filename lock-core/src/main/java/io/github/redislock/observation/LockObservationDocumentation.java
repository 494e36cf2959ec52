package io.github.redislock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of locks.
 *
 * @see LockMeterDocumentation
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * The wait for a lock, from the call until the end of the wait. Re-entering a lock is
	 * not observed.
	 */
	ACQUIRE {

		@Override
		public String getName() {
			return DefaultLockObservationConvention.NAME;
		}

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKeyNames.values();
		}

	};

	/**
	 * Tags of meters and of spans.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * The lock's metric name, or {@code other}.
		 */
		LOCK("lock"),

		/**
		 * How the lock was requested: {@code exclusive}, {@code read} or {@code permit}.
		 */
		MODE("mode"),

		/**
		 * How the wait ended.
		 */
		OUTCOME("outcome");

		private final String key;

		LowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Attributes of spans only.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * The lock's name, with its key.
		 */
		NAME("redis.lock.name"),

		/**
		 * Where the lock came from.
		 */
		FROM("redis.lock.from"),

		/**
		 * The fencing token of the hold.
		 */
		FENCING_TOKEN("redis.lock.fencing_token");

		private final String key;

		HighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
