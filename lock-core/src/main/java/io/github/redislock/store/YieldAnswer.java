package io.github.redislock.store;

/**
 * The outcome of yielding a lock.
 *
 * @param released as the answer to a release
 * @param next as the answer to an acquisition
 */
public record YieldAnswer(boolean released, AcquireAnswer next) {
}
