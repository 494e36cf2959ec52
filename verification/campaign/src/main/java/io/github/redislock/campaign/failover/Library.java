package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.redis.RedisLockStoreOptions;

/**
 * The contenders: a library with its settings. A further one needs an entry here.
 */
enum Library {

	/** This library as it is, without acknowledgements. */
	OURS(Set.of(Topology.SENTINEL, Topology.CLUSTER)),

	/**
	 * This library as it is, with counters that refuse the fencing token of an earlier
	 * holder. A holder that is refused gives up.
	 */
	OURS_FENCE(Set.of(Topology.SENTINEL, Topology.CLUSTER)),

	/** This library, which waits until one replica has each grant and renewal. */
	OURS_ACKS(Set.of(Topology.SENTINEL, Topology.CLUSTER)),

	/** This library with a quarantine after a start without data. */
	OURS_QUARANTINE(Set.of(Topology.SENTINEL)),

	/** This library on three independent masters. */
	QUORUM_3(Set.of(Topology.QUORUM)),

	/** This library on five independent masters. */
	QUORUM_5(Set.of(Topology.QUORUM)),

	/** Redisson, whose holders believe in the lock until they release it. */
	REDISSON(Set.of(Topology.SENTINEL, Topology.CLUSTER)),

	/** Redisson, whose holders ask four times a second whether they have the lock. */
	REDISSON_CHECKED(Set.of(Topology.SENTINEL, Topology.CLUSTER)),

	/** Spring Integration's registry. */
	SPRING_INTEGRATION(Set.of(Topology.SENTINEL, Topology.CLUSTER));

	private final Set<Topology> topologies;

	Library(Set<Topology> topologies) {
		this.topologies = EnumSet.copyOf(topologies);
	}

	String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	static Library named(String label) {
		return Arrays.stream(values())
			.filter((library) -> library.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown contender '" + label + "'; the contenders are "
					+ Arrays.stream(values()).map(Library::label).toList()));
	}

	boolean runsOn(Topology topology) {
		return this.topologies.contains(topology);
	}

	/**
	 * Return how many servers the contender needs on a quorum.
	 */
	int masters() {
		return (this == QUORUM_3) ? 3 : 5;
	}

	/**
	 * Start an instance of an application.
	 * @param redis the servers
	 * @param lease the lease of each of its locks
	 */
	Client open(Addresses redis, Duration lease) {
		RedisLockStoreOptions defaults = RedisLockStoreOptions.defaults();
		// The lease plus its grace.
		Duration quarantine = lease.plus(Duration.ofMillis(Math.max(100, lease.toMillis() / 20)));
		return switch (this) {
			case OURS -> new OurClient(redis, defaults, lease, false);
			case OURS_FENCE -> new OurClient(redis, defaults, lease, true);
			case OURS_ACKS -> new OurClient(redis, defaults.minAcks(1), lease, false);
			case OURS_QUARANTINE -> new OurClient(redis, defaults.coldStartQuarantine(quarantine), lease, false);
			case QUORUM_3, QUORUM_5 ->
				new OurClient(redis, RedisLockStoreOptions.quorum().coldStartQuarantine(quarantine), lease, false);
			case REDISSON -> new RedissonLocks(redis, lease, false);
			case REDISSON_CHECKED -> new RedissonLocks(redis, lease, true);
			case SPRING_INTEGRATION -> new SpringClient(redis, lease);
		};
	}

}
