package io.github.redislock.store;

/**
 * What came of a lock that was yielded.
 *
 * @param released as the answer to a release
 * @param next as the answer to an acquisition
 */
public record YieldAnswer(boolean released, AcquireAnswer next) {
}
