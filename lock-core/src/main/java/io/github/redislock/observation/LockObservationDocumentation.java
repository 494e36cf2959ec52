package io.github.redislock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * What is observed of locks.
 *
 * @see LockMeterDocumentation
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * The wait for a lock, from the call until the caller has it or does not wait any
	 * more. Not for locks that a caller enters once more.
	 */
	ACQUIRE {

		@Override
		public String getName() {
			return "redis.lock.acquire";
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
		 * The lock's declared name, without its key.
		 */
		LOCK {

			@Override
			public String asString() {
				return "lock";
			}

		},

		/**
		 * Whether the lock is taken alone ({@code mutex}, which a writer does, too), or
		 * shared ({@code read}, {@code permit}).
		 */
		MODE {

			@Override
			public String asString() {
				return "mode";
			}

		},

		/**
		 * How the wait ended: {@code acquired}, {@code timeout}, {@code interrupted},
		 * {@code error}; {@code pending} while it goes on.
		 */
		OUTCOME {

			@Override
			public String asString() {
				return "outcome";
			}

		}

	}

	/**
	 * Attributes of spans only.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * The lock's name, with its key.
		 */
		NAME {

			@Override
			public String asString() {
				return "redis.lock.name";
			}

		},

		/**
		 * Who had the lock before: a caller of this process ({@code local}), another
		 * process ({@code remote}), or nobody ({@code none}).
		 */
		FROM {

			@Override
			public String asString() {
				return "redis.lock.from";
			}

		},

		/**
		 * The fencing token of the hold.
		 */
		FENCING_TOKEN {

			@Override
			public String asString() {
				return "redis.lock.fencing_token";
			}

		}

	}

}
