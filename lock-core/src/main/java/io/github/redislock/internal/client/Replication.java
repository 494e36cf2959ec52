package io.github.redislock.internal.client;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * How many replicas have to acknowledge a lock, and how long to wait for them.
 *
 * @param replicas the number of replicas; 0 to wait for none
 * @param limit how long to wait; the connection is blocked during the wait
 */
record Replication(int replicas, Duration limit) {

	private static final Duration SHORTEST_LIMIT = Duration.ofMillis(50);

	private static final int LIMITS_PER_TIMEOUT = 4;

	static Replication of(ClientSettings settings) {
		Duration share = settings.commandTimeout().dividedBy(LIMITS_PER_TIMEOUT);
		return new Replication(settings.minAcks(), Durations.max(share, SHORTEST_LIMIT));
	}

	boolean isWanted() {
		return this.replicas > 0;
	}

	/**
	 * Return the result of a script if enough replicas have acknowledged it.
	 * @throws ReplicationFailure if too few replicas have done so
	 */
	Object require(Object reply, long acknowledged) {
		if (acknowledged < this.replicas) {
			throw new ReplicationFailure(reply,
					"only %s replicas acknowledged it within %s, but redis-lock.replication.min-acks is %s"
						.formatted(acknowledged, Durations.describe(this.limit), this.replicas));
		}
		return reply;
	}

	/**
	 * Return a failure for a result whose acknowledgements are unknown.
	 */
	ReplicationFailure unknown(Object reply) {
		return new ReplicationFailure(reply,
				"the connection to Redis broke before %s acknowledgements of replicas arrived".formatted(this.replicas)
						+ " (redis-lock.replication.min-acks)");
	}

}
