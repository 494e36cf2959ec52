package io.github.redislock.benchmarks.contender;

import java.time.Duration;

/**
 * The settings with which a process uses a library.
 *
 * @param host the host of Redis, or of a proxy in front of it
 * @param port the port of Redis or the proxy
 * @param lease how long a lock stays locked after its holder has died
 * @param renewed whether locks must be renewed while they are held; some libraries always
 * renew them
 */
public record ClientSettings(String host, int port, Duration lease, boolean renewed) {

	/** The default lease of libraries that have one, including ours. */
	public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

}
