package io.github.redislock.engine;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the store has just granted to this process.
 *
 * @param request the request that was granted
 * @param settings of the caller that asked for it
 * @param lease how long it is ours
 * @param fencingToken the first of those reserved
 * @param lateRequest whether an earlier request for it got no reply and may still reach
 * the store
 * @param origin where the lock came from
 * @param changesBefore the number of possible message losses before it was granted
 * @param before the holder for which this process waited, if it did
 */
record Grant(AcquireRequest request, AcquireSettings settings, LeaseDeadline lease, long fencingToken,
		boolean lateRequest, HandOverKind origin, int changesBefore, @Nullable LockState before) {
}
