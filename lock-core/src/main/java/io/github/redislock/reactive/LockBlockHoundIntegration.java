package io.github.redislock.reactive;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Allows in BlockHound the calls that look as if they blocked, but do not. Found by its
 * service loader.
 */
public final class LockBlockHoundIntegration implements BlockHoundIntegration {

	private static final String LETTUCE_LOCK = "io.lettuce.core.protocol.SharedLock";

	private static final String TIMER = "io.github.redislock.engine.SystemLockTimer";

	@Override
	public void applyTo(BlockHound.Builder builder) {
		builder
			// The system's random numbers are read like a file, but are always available.
			.allowBlockingCallsInside("io.github.redislock.support.OwnerTokens", "nextRandom")
			// Lettuce counts its writers, in a few steps.
			.allowBlockingCallsInside(LETTUCE_LOCK, "incrementWriters")
			.allowBlockingCallsInside(LETTUCE_LOCK, "decrementWriters")
			.allowBlockingCallsInside(LETTUCE_LOCK, "lockWritersExclusive")
			.allowBlockingCallsInside(LETTUCE_LOCK, "unlockWritersExclusive")
			// A few steps on a list.
			.allowBlockingCallsInside(TIMER, "schedule")
			.allowBlockingCallsInside(TIMER, "forget");
	}

}
