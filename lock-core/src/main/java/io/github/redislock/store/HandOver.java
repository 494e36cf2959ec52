package io.github.redislock.store;

/**
 * The hand-over of a lock to a request that waited for it.
 *
 * @param requestId the id of the request
 * @param askedAt the {@linkplain AcquireRequest.Attempt#askedAt() time} of the last
 * attempt that the store received before the hand-over
 * @param fencingToken the first of the reserved fencing tokens
 */
public record HandOver(String requestId, long askedAt, long fencingToken) {
}
