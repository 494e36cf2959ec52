package io.github.redislock.store;

/**
 * The outcome of yielding a lock.
 *
 * @param released the result of the release
 * @param next the result of the acquisition
 */
public record YieldReply(boolean released, AcquireReply next) {
}
