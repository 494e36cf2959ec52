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

		@Override
		String question() {
			return "How long do callers wait, and how do their waits end?";
		}

	};

	/**
	 * Return the operator's question that the observation answers.
	 */
	abstract String question();

	/**
	 * Tags of meters and of spans.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * The lock's declared name, without its key.
		 */
		LOCK("lock", "the declared name without its key, or `other`"),

		/**
		 * Whether the lock is taken exclusively, as by a writer, or shared.
		 */
		MODE("mode", "`exclusive`, `read` or `permit`"),

		/**
		 * How the wait ended.
		 */
		OUTCOME("outcome",
				"`acquired`; `timeout`: another owner had it; `interrupted`; `cancelled`: the caller's future"
						+ " or subscription ended; `shutdown`; `error`: the store did not reply;"
						+ " `pending`: the wait goes on");

		private final String key;

		private final String description;

		LowCardinalityKeyNames(String key, String description) {
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

	/**
	 * Attributes of spans only.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * The lock's name, with its key.
		 */
		NAME("redis.lock.name", "the whole name, with its key"),

		/**
		 * Where the lock came from.
		 */
		FROM("redis.lock.from", "where the lock came from: `local`, `remote` or `none`"),

		/**
		 * The fencing token of the hold.
		 */
		FENCING_TOKEN("redis.lock.fencing_token", "the fencing token of the hold");

		private final String key;

		private final String description;

		HighCardinalityKeyNames(String key, String description) {
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
