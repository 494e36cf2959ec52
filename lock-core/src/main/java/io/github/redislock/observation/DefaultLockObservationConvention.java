package io.github.redislock.observation;

import java.util.Locale;

import io.github.redislock.HandOverKind;
import io.github.redislock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.redislock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;

/**
 * The convention with the names of {@link LockObservationDocumentation}. Extend it to
 * change some of them.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	static final String NAME = "redis.lock.acquire";

	/**
	 * Create the convention.
	 */
	public DefaultLockObservationConvention() {
	}

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(LockAcquireContext context) {
		return LockTags.OTHER.equals(context.getLock()) ? "acquire lock" : "acquire lock " + context.getLock();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockAcquireContext context) {
		return KeyValues.of(LowCardinalityKeyNames.LOCK.withValue(context.getLock()),
				LowCardinalityKeyNames.MODE.withValue(context.getMode()),
				LowCardinalityKeyNames.OUTCOME.withValue(context.getOutcome().value()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireContext context) {
		KeyValues name = KeyValues.of(HighCardinalityKeyNames.NAME.withValue(context.getTarget().name()));
		HandOverKind from = context.getFrom();
		Long fencingToken = context.getFencingToken();
		if (from == null || fencingToken == null) {
			return name;
		}
		return name.and(HighCardinalityKeyNames.FROM.withValue(from.name().toLowerCase(Locale.ROOT)),
				HighCardinalityKeyNames.FENCING_TOKEN.withValue(fencingToken.toString()));
	}

}
