package io.github.redislock.benchmarks.contender;

import java.time.Duration;

/**
 * The settings of a process that uses a library.
 *
 * @param host the host of Redis, or of a proxy in front of it
 * @param port the port of Redis or the proxy
 * @param lease how long a lock stays held after its holder has died
 * @param renewed whether locks must be renewed while they are held, which some libraries
 * always do
 */
public record ClientSettings(String host, int port, Duration lease, boolean renewed) {

	/** The default lease of this library, and of Redisson's watchdog. */
	public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

}
