package io.github.redislock.campaign;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.nemesis.Fault;

/**
 * What a trial tests: the library, or a control in which an overlap must be found.
 */
enum Scenario {

	/** The library, with all faults. */
	MAIN(true, EnumSet.allOf(Topology.class), EnumSet.allOf(Fault.class)),

	/** Control: the usual hand-written lock. */
	NAIVE(false, EnumSet.of(Topology.STANDALONE), EnumSet.of(Fault.FREEZE_PROCESS, Fault.PARTITION)),

	/** Control: a Redis that loses all data when it crashes. */
	WIPED(false, EnumSet.of(Topology.STANDALONE), EnumSet.of(Fault.KILL_REDIS)),

	/**
	 * The library with a quarantine, on a Redis or on masters of a quorum that lose all
	 * data when they crash.
	 */
	QUARANTINE(true, EnumSet.of(Topology.STANDALONE, Topology.QUORUM),
			EnumSet.of(Fault.KILL_REDIS, Fault.ROLLING_RESTART)),

	/** Control: a server whose clock steps by more than the grace. */
	CLOCK(false, EnumSet.of(Topology.STANDALONE), EnumSet.of(Fault.STEP_CLOCK)),

	/** Control: replicas that need not acknowledge a lock. */
	ASYNC_FAILOVER(false, EnumSet.of(Topology.SENTINEL, Topology.CLUSTER), EnumSet.of(Fault.REPLACE_BY_LAGGING)),

	/** Control: masters of a quorum that lose all data when they crash. */
	RESTART_WITHOUT_DATA(false, EnumSet.of(Topology.QUORUM), EnumSet.of(Fault.ROLLING_RESTART));

	private final boolean holds;

	private final Set<Topology> topologies;

	private final Set<Fault> faults;

	Scenario(boolean holds, Set<Topology> topologies, Set<Fault> faults) {
		this.holds = holds;
		this.topologies = topologies;
		this.faults = faults;
	}

	String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return whether locks must keep their promises in this scenario. Otherwise it is a
	 * control, in which an overlap must be found.
	 */
	boolean holds() {
		return this.holds;
	}

	/**
	 * Return whether fencing tokens must grow. With correct clocks, they grow even if
	 * Redis forgets data.
	 */
	boolean isOrdered() {
		return this != NAIVE && this != CLOCK;
	}

	Set<Topology> topologies() {
		return this.topologies;
	}

	List<Fault> faults(Topology topology) {
		Set<Fault> faults = Fault.of(topology);
		faults.retainAll(this.faults);
		return List.copyOf(faults);
	}

	static Scenario named(String label) {
		return Arrays.stream(values())
			.filter((scenario) -> scenario.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No control is called '" + label + "'"));
	}

}
