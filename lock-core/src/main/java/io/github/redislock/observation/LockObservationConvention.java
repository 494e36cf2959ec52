package io.github.redislock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The convention for the name and the tags of lock waits. A bean of this type replaces
 * the {@linkplain DefaultLockObservationConvention default}.
 * <p>
 * Low-cardinality key values become tags of meters, so take them from
 * {@link LockAcquireContext#getLock()}, never from the target's name.
 */
public interface LockObservationConvention extends ObservationConvention<LockAcquireContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockAcquireContext;
	}

}
