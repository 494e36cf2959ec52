package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.FaultProxy.Cut;

/**
 * Something that goes wrong, and recovers after a while.
 */
public enum Fault {

	/** A process is frozen for a while without noticing it. */
	FREEZE_PROCESS((field, random) -> field.onChild(random, (child) -> child.freeze(field.leases(random, 0.5, 2.5)))),

	/** A process crashes, and another one replaces it. */
	KILL_PROCESS((field, random) -> field.onChild(random, Child::replace)),

	/**
	 * The network delivers nothing, without an error. Data on its way arrives later.
	 */
	PARTITION((field, random) -> during(field, random, Network::isolate, Network::flow)),

	/** The network delivers nothing, and data on its way is lost. */
	BROKEN_PARTITION((field, random) -> during(field, random, Network::isolate, (network) -> {
		network.drop();
		network.flow();
	})),

	/** Connections are refused. */
	REFUSED((field, random) -> during(field, random, (network) -> {
		network.refuse();
		network.cutClients(cut(random));
	}, Network::flow)),

	/** Redis executes requests, but its replies are lost. */
	LOST_REPLIES((field, random) -> during(field, random, Network::holdReplies, Network::drop)),

	/** Redis receives no requests. */
	LOST_REQUESTS((field, random) -> during(field, random, Network::holdRequests, Network::drop)),

	/** Redis executes old requests after their clients have timed out and reconnected. */
	LATE_REQUESTS((field, random) -> during(field, random, (network) -> {
		network.holdRequests();
		Pause.of(field.leases(random, 0, 0.3));
		network.cutClients(cut(random));
	}, Network::flow)),

	/** Connections end in an orderly way. */
	CLOSED_CONNECTIONS((field, random) -> field.onChild(random, (child) -> child.network().cutClients(Cut.FIN))),

	/** Connections are reset, several times. */
	RESET_CONNECTIONS((field, random) -> field.onChild(random, (child) -> {
		for (int time = 0; time < 5; time++) {
			child.network().cutClients(Cut.RST);
			Pause.of(field.leases(random, 0, 0.05));
		}
	})),

	/** Replies are slow. */
	SLOW_REPLIES((field, random) -> during(field, random,
			(network) -> network.delay(Duration.ofMillis(50 + random.nextInt(400))),
			(network) -> network.delay(Duration.ZERO))),

	/** The subscription ends, and everything else works. */
	CUT_SUBSCRIPTION(
			(field, random) -> field.onChild(random, (child) -> child.network().cutSubscriptions(cut(random)))),

	/** Messages are lost, and everything else works. */
	LOST_MESSAGES((field, random) -> during(field, random, Network::holdMessages, (network) -> {
		network.cutSubscriptions(cut(random));
		network.flow();
	})),

	/** Messages are late, and everything else works. */
	LATE_MESSAGES((field, random) -> during(field, random, Network::holdMessages, Network::flow)),

	/** Redis is frozen for a while without noticing it. */
	FREEZE_REDIS(ServerFaults::freeze),

	/** Redis crashes, and restarts with the data that it has saved. */
	KILL_REDIS(ServerFaults::kill),

	/** Redis ends all connections except subscriptions. */
	KILL_CLIENTS((field, random) -> ServerFaults.command(field, random, "CLIENT", "KILL", "TYPE", "normal")),

	/** Redis ends all subscriptions. */
	KILL_SUBSCRIBERS((field, random) -> ServerFaults.command(field, random, "CLIENT", "KILL", "TYPE", "pubsub")),

	/** Redis pauses all clients, or only their writes. */
	PAUSE_CLIENTS((field, random) -> {
		Duration length = Field.time(random, 0.1, 1.2);
		ServerFaults.command(field, random, "CLIENT", "PAUSE", Long.toString(length.toMillis()),
				random.nextBoolean() ? "ALL" : "WRITE");
		Pause.of(length);
	}),

	/** Redis forgets all scripts. */
	FLUSH_SCRIPTS((field, random) -> ServerFaults.command(field, random, "SCRIPT", "FLUSH")),

	/** The server's wall clock steps, and later steps back. */
	STEP_CLOCK(EnumSet.of(Topology.STANDALONE), (field, random) -> field.onServers((server) -> {
		ServerClock clock = field.clock();
		if (clock == null) {
			throw new IllegalStateException("The clock cannot be stepped");
		}
		long size = field.clockStep().toMillis() / 2 + random.nextLong(field.clockStep().toMillis() / 2 + 1);
		clock.step(Duration.ofMillis(random.nextBoolean() ? size : -size));
		Pause.of(field.leases(random, 1.2, 1.4));
		clock.step(Duration.ZERO);
		// Wait, because two steps within one lease would add up.
		Pause.of(field.leases(random, 1.2, 1.4));
	})),

	/** Busy threads use all processors. */
	STARVE((field, random) -> Starvation.during(field.leases(random, 0.5, 1.5))),

	/** An application shuts down in an orderly way and starts again. */
	CLOSE_TEMPLATE((field, random) -> field.onChild(random, (child) -> child.order("reopen"))),

	/** Threads are interrupted again and again. */
	INTERRUPT_STORM((field, random) -> field.onChild(random, (child) -> {
		Duration length = Field.time(random, 0.3, 1);
		child.order("interrupt " + length.toMillis());
		Pause.of(length);
	})),

	/** A replica is promoted in an orderly way, as during an update. */
	FAIL_OVER(replicated(), ServerFaults::failOver),

	/** A master crashes, is replaced and comes back. */
	KILL_MASTER(replicated(), ServerFaults::killMaster),

	/** A master is frozen and replaced, and resumes as if it were still the master. */
	FREEZE_MASTER(replicated(), ServerFaults::freezeMaster),

	/**
	 * A master grants locks while its replicas are disconnected, and is then replaced.
	 */
	REPLACE_BY_LAGGING(replicated(), ServerFaults::replaceByLagging),

	/** A replica crashes, and comes back. */
	KILL_REPLICA(replicated(), ServerFaults::killReplica),

	/** A replica is frozen for a while. */
	FREEZE_REPLICA(replicated(), ServerFaults::freezeReplica),

	/** A sentinel crashes, and comes back. */
	KILL_SENTINEL(EnumSet.of(Topology.SENTINEL), ServerFaults::killSentinel),

	/** The slot of a lock is moved to another master. */
	MOVE_SLOT(EnumSet.of(Topology.CLUSTER), ServerFaults::moveSlot),

	/** So many servers freeze that no lock can be granted. */
	OUTAGE(EnumSet.of(Topology.QUORUM), ServerFaults::freezeTooMany),

	/** So many servers crash that no lock can be granted. */
	CRASHES(EnumSet.of(Topology.QUORUM), ServerFaults::killTooMany),

	/** The servers are restarted one after the other, as during an update. */
	ROLLING_RESTART(EnumSet.of(Topology.QUORUM), ServerFaults::restartAll);

	private final Set<Topology> topologies;

	private final BiConsumer<Field, Random> strike;

	Fault(BiConsumer<Field, Random> strike) {
		this(EnumSet.allOf(Topology.class), strike);
	}

	Fault(Set<Topology> topologies, BiConsumer<Field, Random> strike) {
		this.topologies = topologies;
		this.strike = strike;
	}

	public static Set<Fault> of(Topology topology) {
		return Arrays.stream(values())
			.filter((fault) -> fault.topologies.contains(topology))
			.collect(Collectors.toCollection(() -> EnumSet.noneOf(Fault.class)));
	}

	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	void strike(Field field, Random random) {
		this.strike.accept(field, random);
	}

	private static void during(Field field, Random random, Consumer<Network> fault, Consumer<Network> end) {
		field.onChild(random, (child) -> {
			Network part = child.network().part(random);
			fault.accept(part);
			Pause.of(field.leases(random, 0.15, 1.5));
			end.accept(part);
		});
	}

	private static Set<Topology> replicated() {
		return EnumSet.of(Topology.SENTINEL, Topology.CLUSTER);
	}

	private static Cut cut(Random random) {
		return random.nextBoolean() ? Cut.FIN : Cut.RST;
	}

}
