package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.List;

/**
 * The settings of a Redis client.
 *
 * @param clientName the name of the client's connections in {@code CLIENT LIST}
 * @param commandTimeout how long to wait for a reply
 * @param minAcks how many replicas have to acknowledge a lock
 * @param quarantine whether a server that has lost its data grants no lock for a while
 * @param keyPrefix the beginning of the keys of locks
 * @param scripts the scripts to load early
 */
public record ClientSettings(String clientName, Duration commandTimeout, int minAcks, boolean quarantine,
		String keyPrefix, List<Script> scripts) {
}
