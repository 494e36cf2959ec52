package io.github.redislock.store;

/**
 * A lock was handed over to a request that waited for it.
 *
 * @param requestId the request
 * @param askedAt when the request was last sent before the hand-over: the lock became the
 * requester's only after that
 * @param fencingToken the first of those reserved
 */
public record HandOver(String requestId, long askedAt, long fencingToken) {
}
