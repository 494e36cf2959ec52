package io.github.redislock.internal.blockhound;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Makes BlockHound allow calls that look as if they blocked, but return almost at once.
 * BlockHound loads this class as a service.
 */
public final class LockBlockHoundIntegration implements BlockHoundIntegration {

	private static final String LETTUCE_LOCK = "io.lettuce.core.protocol.SharedLock";

	@Override
	public void applyTo(BlockHound.Builder builder) {
		builder
			// Random numbers for many locks are read like a file, but are always
			// available.
			.allowBlockingCallsInside("io.github.redislock.internal.support.OwnerTokens", "nextRandom")
			// Lettuce counts its writers under a lock that it holds only briefly.
			.allowBlockingCallsInside(LETTUCE_LOCK, "incrementWriters")
			.allowBlockingCallsInside(LETTUCE_LOCK, "decrementWriters")
			.allowBlockingCallsInside(LETTUCE_LOCK, "lockWritersExclusive")
			.allowBlockingCallsInside(LETTUCE_LOCK, "unlockWritersExclusive")
			// The timer holds its lock only while it changes its set of tasks.
			.allowBlockingCallsInside("io.github.redislock.SystemLockTimer", "schedule")
			.allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove");
	}

}
