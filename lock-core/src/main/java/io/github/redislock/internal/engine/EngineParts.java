package io.github.redislock.internal.engine;

import java.time.Duration;

import io.github.redislock.internal.support.OwnerTokens;

/**
 * What the local queues of an engine share.
 *
 * @param store the engine's view of the store
 * @param timer measures leases and schedules deadlines
 * @param jitter spreads requests over time
 * @param messages receives the store's messages
 * @param renewer renews leases
 * @param tokens creates owner tokens and request ids
 * @param slice how long a lock may pass from caller to caller of this process
 */
record EngineParts(EngineStore store, JumpDetectingTimer timer, Jitter jitter, StoreMessages messages, Renewer renewer,
		OwnerTokens tokens, Duration slice) {
}
