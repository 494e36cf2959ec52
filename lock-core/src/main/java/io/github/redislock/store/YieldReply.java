package io.github.redislock.store;

import java.util.concurrent.CompletionStage;

/**
 * The outcome of yielding a lock.
 *
 * @param released the result of the release
 * @param next the result of the acquisition, which completes or fails like that of
 * {@link LockStore#acquire}
 */
public record YieldReply(boolean released, CompletionStage<AcquireReply> next) {
}
