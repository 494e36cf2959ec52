package io.github.redislock.store;

import org.jspecify.annotations.Nullable;

/**
 * The hand-over of a lock to a request that waited for it.
 *
 * @param requestId the id of the request
 * @param askedAt the {@linkplain AcquireRequest.Attempt#askedAt() time} of the last
 * attempt that the store received before the hand-over; {@code null} for the first
 * attempt
 * @param fencingToken the first of the reserved fencing tokens
 */
public record HandOver(String requestId, @Nullable Long askedAt, long fencingToken) {
}
