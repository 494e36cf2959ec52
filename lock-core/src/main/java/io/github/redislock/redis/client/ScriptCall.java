package io.github.redislock.redis.client;

import java.util.List;

/**
 * A script with what it is told.
 *
 * @param script what to run
 * @param keys all keys that it touches, the key of a lock first
 * @param arguments what else it is told
 */
public record ScriptCall(Script script, List<byte[]> keys, List<byte[]> arguments) {
}
