package io.github.redislock.campaign.deployment;

import java.util.Locale;

/**
 * The kind of servers that store the locks.
 */
public enum Topology {

	/** One server. */
	STANDALONE,

	/** A master with two replicas, and three sentinels that watch them. */
	SENTINEL,

	/** Three masters, each with a replica. */
	CLUSTER,

	/** Five independent masters. */
	QUORUM;

	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	public boolean isReplicated() {
		return this == SENTINEL || this == CLUSTER;
	}

}
