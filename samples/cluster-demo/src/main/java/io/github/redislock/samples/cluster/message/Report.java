package io.github.redislock.samples.cluster.message;

/**
 * A worker's report, which is one line of its output.
 *
 * @param kind what happened
 * @param token the fencing token of the hold, or 0 if there is no hold
 * @param text a description
 */
public record Report(Kind kind, long token, String text) {
}
