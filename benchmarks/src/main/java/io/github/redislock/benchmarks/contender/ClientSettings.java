package io.github.redislock.benchmarks.contender;

import java.time.Duration;

/**
 * How a process uses a library.
 *
 * @param host the host of Redis, or of a proxy in front of it
 * @param port the port there
 * @param lease how long a lock stays closed after its holder has died
 * @param renewed whether locks must be renewed while they are held; libraries that always
 * renew do so anyway
 */
public record ClientSettings(String host, int port, Duration lease, boolean renewed) {

	/** The default of libraries that have one, including ours. */
	public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

}
