package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.List;

/**
 * How a real client waits for a replica.
 *
 * @param commandTimeout how long the client waits for a reply
 */
public record SimulatedReplica(Duration commandTimeout) {

	/**
	 * Return how long to wait for the replica.
	 */
	public Duration limit() {
		return replication().limit();
	}

	/**
	 * Return the failure of a request that the replica has not acknowledged.
	 */
	public RuntimeException failure(Object reply) {
		return replication().unknown(reply);
	}

	private Replication replication() {
		return Replication.of(new ClientSettings("", this.commandTimeout, 1, false, "", List.of()));
	}

}
