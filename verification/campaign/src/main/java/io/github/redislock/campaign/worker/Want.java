package io.github.redislock.campaign.worker;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a contender asks for.
 *
 * @param key which lock
 * @param waitTime how long he is ready to wait
 * @param renewed whether his lease is renewed while he holds the lock
 * @param ofThread whether only the asking thread uses the lock, so that the library knows
 * what it holds while it waits for another one
 * @param owner an owner token of his own choice
 */
record Want(String key, Duration waitTime, boolean renewed, boolean ofThread, @Nullable String owner) {
}
