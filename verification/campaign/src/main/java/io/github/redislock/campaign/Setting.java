package io.github.redislock.campaign;

import java.time.Duration;
import java.util.List;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.history.Rules;
import io.github.redislock.campaign.nemesis.Fault;

/**
 * The parameters of a scenario on one topology.
 *
 * @param scenario the scenario
 * @param topology the topology
 */
record Setting(Scenario scenario, Topology topology) {

	/** The longest extension of a lease by callers, plus some tolerance for the clock. */
	private static final Duration LENGTHENED = Duration.ofMillis(600);

	/**
	 * How much longer than its waiting time an attempt may take: one command timeout,
	 * plus some time for a busy machine.
	 */
	private static final Duration ROOM = Duration.ofSeconds(4);

	/**
	 * How old the information in a refusal may be: one heartbeat, plus the time for which
	 * the process may be stopped.
	 */
	private static final Duration MEMORY = Duration.ofSeconds(5);

	/**
	 * How late a leader may be notified of the end of its leadership: some milliseconds,
	 * plus some time for a busy machine.
	 */
	private static final Duration TELLING = Duration.ofMillis(500);

	/** How long a stopped server may keep a lock beyond its lease and grace. */
	private static final Duration STANDSTILL = Duration.ofSeconds(5);

	String label() {
		return (this.topology == Topology.STANDALONE) ? this.scenario.label()
				: this.scenario.label() + " on " + this.topology.label();
	}

	List<Fault> faults() {
		return this.scenario.faults(this.topology);
	}

	/**
	 * Return the lease. It is longer than the replacement of a master takes, because
	 * otherwise all leases would end during the replacement and missing locks would go
	 * unnoticed.
	 */
	Duration lease() {
		return Duration.ofSeconds((this.topology == Topology.STANDALONE) ? 1 : 2);
	}

	/**
	 * Return how long a lock that is not released stays in Redis.
	 */
	Duration leaseAndGrace() {
		return lease().plusMillis(100);
	}

	/**
	 * Return how many replicas must acknowledge a lock: in the main scenario all of a
	 * master's replicas, because any of them may be promoted, and in the other scenarios
	 * none.
	 */
	int acks() {
		if (this.scenario != Scenario.MAIN || !this.topology.isReplicated()) {
			return 0;
		}
		return (this.topology == Topology.SENTINEL) ? 2 : 1;
	}

	Duration quarantine() {
		return (this.scenario == Scenario.QUARANTINE) ? lease().plus(LENGTHENED) : Duration.ZERO;
	}

	/**
	 * Return the shortest pause before a fault.
	 */
	Duration calm() {
		return (this.scenario == Scenario.QUARANTINE) ? quarantine().plusMillis(500) : Duration.ofMillis(150);
	}

	boolean persistent() {
		return switch (this.scenario) {
			case WIPED, QUARANTINE, RESTART_WITHOUT_DATA -> false;
			default -> true;
		};
	}

	/**
	 * Return the largest step of the server's clock. The step is less than the grace of
	 * 100 ms, except in the control for clocks.
	 */
	Duration clockStep() {
		return Duration.ofMillis((this.scenario == Scenario.CLOCK) ? 4_000 : 80);
	}

	/**
	 * Return whether to hold locks for a long time, so that each fault affects some of
	 * them.
	 */
	boolean longHolds() {
		return this.scenario != Scenario.MAIN;
	}

	int faultsPerMinute() {
		// Replaced servers take time to recover.
		return switch (this.topology) {
			case STANDALONE -> 40;
			case SENTINEL, CLUSTER -> 12;
			case QUORUM -> 20;
		};
	}

	int faultsPerKind() {
		return this.topology.isReplicated() ? 1 : 3;
	}

	int holdsPerMinute() {
		return (this.topology == Topology.STANDALONE) ? 1_700 : 400;
	}

	Rules rules() {
		return new Rules(ROOM, leaseAndGrace().plus(STANDSTILL), MEMORY, TELLING, persistent(),
				this.topology == Topology.STANDALONE);
	}

}
