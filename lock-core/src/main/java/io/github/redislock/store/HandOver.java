package io.github.redislock.store;

/**
 * The hand-over of a lock to a request that waited for it.
 *
 * @param requestId the id of the request
 * @param askedAt when the request was last sent before the hand-over. The requester did
 * not have the lock before that time
 * @param fencingToken the first of the reserved fencing tokens
 */
public record HandOver(String requestId, long askedAt, long fencingToken) {
}
