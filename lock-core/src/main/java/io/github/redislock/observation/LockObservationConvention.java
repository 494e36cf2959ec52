package io.github.redislock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the tags of the wait for a lock. A bean of this type replaces the
 * {@linkplain DefaultLockObservationConvention default}.
 * <p>
 * Low-cardinality key values become tags of meters: take them from
 * {@link LockAcquireContext#getLock()}, never from the target's name.
 */
public interface LockObservationConvention extends ObservationConvention<LockAcquireContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockAcquireContext;
	}

}
