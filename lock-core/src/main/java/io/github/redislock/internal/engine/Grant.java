package io.github.redislock.internal.engine;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the store has just granted to this process.
 *
 * @param request the request that was granted
 * @param settings the settings of the caller that requested the lock
 * @param lease how long the lock is ours
 * @param fencingToken the first of the reserved fencing tokens
 * @param quick whether the store granted the lock in its shorter way
 * @param lateRequest whether an earlier request got no reply and may still arrive at the
 * store
 * @param origin how this process got the lock
 * @param channelChangesBefore the {@linkplain StoreMessages#channelChanges() number of
 * changes} of the channel for messages before the grant
 * @param before the holder for which this process waited, if any
 */
record Grant(AcquireRequest request, AcquireSettings settings, Lease lease, long fencingToken, boolean quick,
		boolean lateRequest, HandOverKind origin, int channelChangesBefore, @Nullable LockState before) {
}
