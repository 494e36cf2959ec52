package io.github.redislock.benchmarks.contender;

import java.time.Duration;

/**
 * How a process uses a library.
 *
 * @param host where Redis or a proxy before it listens
 * @param port the port there
 * @param lease how long a lock stays closed after its holder died
 * @param renewed whether locks must be renewed while they are held; libraries that always
 * renew do so anyway
 */
public record ClientSettings(String host, int port, Duration lease, boolean renewed) {

	/** What libraries with a default choose, ours among them. */
	public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

}
