package io.github.redislock.campaign.deployment;

import java.util.Locale;

/**
 * How servers belong together.
 */
public enum Topology {

	/** One server. */
	STANDALONE,

	/** A master with two replicas, and three sentinels that watch them. */
	SENTINEL,

	/** Three masters with a replica each. */
	CLUSTER,

	/** Five masters that know nothing of one another. */
	QUORUM;

	/**
	 * Return how to name it on the command line.
	 * @return the name in lower case
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return whether there are servers that follow others, and may take their place.
	 * @return whether there are replicas
	 */
	public boolean isReplicated() {
		return this == SENTINEL || this == CLUSTER;
	}

}
