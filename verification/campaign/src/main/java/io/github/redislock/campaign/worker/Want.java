package io.github.redislock.campaign.worker;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A contender's request for a lock.
 *
 * @param key the lock
 * @param waitTime how long to wait
 * @param renewed whether the lease is renewed while the lock is held
 * @param ofThread whether only the acquiring thread uses the lock, so that the library
 * knows which locks the thread holds while it waits for another one
 * @param owner an explicit owner token, if any
 */
record Want(String key, Duration waitTime, boolean renewed, boolean ofThread, @Nullable String owner) {
}
