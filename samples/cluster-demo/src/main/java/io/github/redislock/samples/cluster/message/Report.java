package io.github.redislock.samples.cluster.message;

/**
 * What a worker says about itself: one line of its output.
 *
 * @param kind what happened
 * @param token the fencing token of the hold, or 0 without one
 * @param text for people
 */
public record Report(Kind kind, long token, String text) {
}
