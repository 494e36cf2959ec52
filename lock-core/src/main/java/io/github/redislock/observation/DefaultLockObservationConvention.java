package io.github.redislock.observation;

import java.util.Locale;

import io.github.redislock.HandOverKind;
import io.micrometer.common.KeyValues;

/**
 * The default names and tags of lock waits. Extend this class to change some of them.
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
		return KeyValues.of("lock", context.getLock(), "mode", context.getMode(), "outcome",
				context.getOutcome().value());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireContext context) {
		KeyValues name = KeyValues.of("redis.lock.name", context.getTarget().name());
		HandOverKind from = context.getFrom();
		Long fencingToken = context.getFencingToken();
		if (from == null || fencingToken == null) {
			return name;
		}
		return name.and("redis.lock.from", from.name().toLowerCase(Locale.ROOT), "redis.lock.fencing_token",
				fencingToken.toString());
	}

}
